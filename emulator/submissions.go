package emulator

import "sync"

// submissions counts the jobs of a run that were submitted and that ended. A job may
// be reported as ended more than once, as one that Slurm requeued after its
// node failed is, and before sbatch has told its id; and Slurm may have jobs of
// others.
type submissions struct {
	mu    sync.Mutex
	own   map[int]bool
	ended map[int]bool
	done  int
}

func newSubmissions() *submissions {
	return &submissions{own: map[int]bool{}, ended: map[int]bool{}}
}

func (s *submissions) submit(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own[id] = true
	if s.ended[id] {
		s.done++
	}
}

func (s *submissions) end(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own[id] && !s.ended[id] {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own[id]
}
