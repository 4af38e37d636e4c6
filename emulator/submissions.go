package emulator

import (
	"sync"
	"time"
)

// submissions knows the jobs of a run that were submitted, started and ended. A job
// may be reported as ended more than once, as one that Slurm requeued after its
// node failed is, and before sbatch has told its id; and Slurm may have jobs of
// others.
type submissions struct {
	mu sync.Mutex
	// own has the time limit of each job of the run.
	own     map[int]time.Duration
	started map[int]bool
	ended   map[int]bool
	done    int
}

func newSubmissions() *submissions {
	return &submissions{own: map[int]time.Duration{}, started: map[int]bool{}, ended: map[int]bool{}}
}

func (s *submissions) submit(id int, limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own[id] = limit
	if s.ended[id] {
		s.done++
	}
}

func (s *submissions) end(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, own := s.own[id]; own && !s.ended[id] {
		s.done++
	}
	s.ended[id] = true
}

func (s *submissions) count() (submitted, done int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.own), s.done
}

func (s *submissions) hasEnded(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended[id]
}

// owns says whether a job of Slurm is one of the run.
func (s *submissions) owns(id int) bool {
	_, own := s.limit(id)
	return own
}

// limit returns the time limit of a job of the run.
func (s *submissions) limit(id int) (limit time.Duration, own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, own = s.own[id]
	return limit, own
}

// runs takes the jobs that seem to run and returns how many do: those of the run
// that have not ended.
func (s *submissions) runs(seem []int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := 0
	for _, id := range seem {
		if _, own := s.own[id]; own && !s.ended[id] {
			s.started[id] = true
			running++
		}
	}
	return running
}

// happened counts submissions, ends and the starts that runs was told of, each once
// per job, and returns the longest limit of a job that has not ended.
func (s *submissions) happened() (events int, longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, limit := range s.own {
		if !s.ended[id] {
			longest = max(longest, limit)
		}
	}
	return len(s.own) + len(s.started) + s.done, longest
}
