package drive

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// submissions knows the jobs of a run that were submitted, started and ended. A job may be reported as ended more
// than once, as when Slurm requeued it after its node failed. It may be reported before sbatch has returned its id.
// Slurm may have jobs of others.
//
// A question during a run costs as much as there are live jobs, however many have ended. All memory for the jobs of
// the workload is taken at the beginning, so a run's memory shows what else grows.
type submissions struct {
	mu   sync.Mutex
	jobs map[int]submitted
	// own has the job behind each id of Slurm, and live the limit of each id whose job has
	// not ended.
	own  map[int]int
	live map[int]time.Duration
	// early are ids that ended and are nobody's: sbatch has not told yet whose they are, or
	// they are of others.
	early         map[int]bool
	started, done int
}

// submitted is a job of the workload that Slurm has.
type submitted struct {
	id            int
	limit         time.Duration
	started, done bool
}

// newSubmissions is for a workload of so many jobs.
func newSubmissions(jobs int) *submissions {
	return &submissions{jobs: make(map[int]submitted, jobs), own: make(map[int]int, jobs), live: map[int]time.Duration{}, early: map[int]bool{}}
}

// submit says that a job of the workload has an id in Slurm. It may have had another
// one that Slurm forgot, and so may another job have had this id.
func (s *submissions) submit(id, job int, limit time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[job]
	if owner, known := s.own[j.id]; known && owner == job {
		delete(s.own, j.id)
		delete(s.live, j.id)
	}
	j.id, j.limit = id, limit
	s.jobs[job], s.own[id] = j, job
	if s.early[id] {
		delete(s.early, id)
		s.finish(job)
	} else {
		s.live[id] = limit
	}
}

// end says that a job of Slurm has ended.
func (s *submissions) end(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if job, own := s.own[id]; own {
		s.finish(job)
	} else {
		s.early[id] = true
	}
}

// has says that a job was submitted.
func (s *submissions) has(job int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, has := s.jobs[job]
	return has
}

// handed lists the jobs that were submitted, in the order of their ids in Slurm.
func (s *submissions) handed() []Handed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Handed
	for job, j := range s.jobs {
		all = append(all, Handed{Job: job, ID: j.id, Ended: j.done})
	}
	slices.SortFunc(all, func(a, b Handed) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func (s *submissions) finish(job int) {
	j := s.jobs[job]
	if !j.done {
		s.done++
	}
	j.done = true
	s.jobs[job] = j
	delete(s.live, j.id)
}

func (s *submissions) count() (submitted, done int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs), s.done
}

func (s *submissions) hasEnded(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, live := s.live[id]
	_, own := s.own[id]
	return s.early[id] || own && !live
}

// waits says that a job was submitted and has not ended.
func (s *submissions) waits(job int) bool {
	_, waits := s.id(job)
	return waits
}

// id is a job's id in Slurm, if it was submitted and has not ended.
func (s *submissions) id(job int) (id int, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, known := s.jobs[job]
	return j.id, known && !j.done
}

// owns says whether a job of Slurm is one of the run.
func (s *submissions) owns(id int) bool {
	_, own := s.limit(id)
	return own
}

// job is the workload's job behind an id of Slurm.
func (s *submissions) job(id int) (job int, own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	job, own = s.own[id]
	return job, own
}

// limit returns the time limit of a job of the run.
func (s *submissions) limit(id int) (limit time.Duration, own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	job, own := s.own[id]
	if !own {
		return 0, false
	}
	return s.jobs[job].limit, true
}

// runs takes the jobs that seem to run and returns how many do: jobs of the run that have not ended.
func (s *submissions) runs(seem []int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := 0
	for _, id := range seem {
		if _, live := s.live[id]; live {
			running++
			s.start(s.own[id])
		}
	}
	return running
}

func (s *submissions) start(job int) {
	j := s.jobs[job]
	if !j.started {
		s.started++
	}
	j.started = true
	s.jobs[job] = j
}

// happened counts submissions, ends and the starts that runs has seen, each once per job, and returns the longest
// limit of a job that has not ended.
func (s *submissions) happened() (events int, longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, limit := range s.live {
		longest = max(longest, limit)
	}
	return len(s.jobs) + s.started + s.done, longest
}
