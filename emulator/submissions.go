package emulator

import (
	"sync"
	"time"
)

// submissions knows the jobs of a run that were submitted, started and ended. A job
// may be reported as ended more than once, as one that Slurm requeued after its
// node failed is, and before sbatch has told its id; and Slurm may have jobs of
// others.
//
// What it is asked for during a run costs as much as there are live jobs, however many
// have ended.
type submissions struct {
	mu sync.Mutex
	// own has the job behind each id of Slurm, ids the id of each job, and live the limit
	// of each id whose job has not ended.
	own  map[int]ownJob
	ids  map[int]int
	live map[int]time.Duration
	// submitted, started and done are ids of the workload, ended ids of Slurm.
	submitted, started, done map[int]bool
	ended                    map[int]bool
}

type ownJob struct {
	job   int
	limit time.Duration
}

func newSubmissions() *submissions {
	return &submissions{
		own: map[int]ownJob{}, ids: map[int]int{}, live: map[int]time.Duration{},
		submitted: map[int]bool{}, started: map[int]bool{}, done: map[int]bool{}, ended: map[int]bool{},
	}
}

// submit says that a job of the workload has an id in Slurm. It may have had another
// one that Slurm forgot, and so may another job have had this id.
func (s *submissions) submit(id, job int, limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, taken := s.own[id]; taken && other.job != job {
		delete(s.ended, id)
	}
	s.drop(job)
	s.own[id], s.ids[job] = ownJob{job, limit}, id
	s.submitted[job] = true
	if s.ended[id] {
		s.done[job] = true
	} else {
		s.live[id] = limit
	}
}

// drop forgets the id of a job.
func (s *submissions) drop(job int) {
	if id, known := s.ids[job]; known && s.own[id].job == job {
		delete(s.own, id)
		delete(s.live, id)
	}
}

func (s *submissions) end(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own, is := s.own[id]; is {
		s.done[own.job] = true
	}
	s.ended[id] = true
	delete(s.live, id)
}

func (s *submissions) count() (submitted, done int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.submitted), len(s.done)
}

func (s *submissions) hasEnded(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended[id]
}

// waits says that a job was submitted and has not ended.
func (s *submissions) waits(job int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submitted[job] && !s.done[job]
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
	job, own := s.own[id]
	return job.limit, own
}

// runs takes the jobs that seem to run and returns how many do: those of the run
// that have not ended.
func (s *submissions) runs(seem []int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := 0
	for _, id := range seem {
		if own, is := s.own[id]; is && !s.ended[id] {
			s.started[own.job] = true
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
	for _, limit := range s.live {
		longest = max(longest, limit)
	}
	return len(s.submitted) + len(s.started) + len(s.done), longest
}
