package drive

import (
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
)

// RunnerEnd is the end of a job that the runner of external nodes has told Slurm: by Slurm's id, when it was due and when
// Slurm knew.
type RunnerEnd struct {
	ID        int
	Due, Done time.Time
}

// late is how late the actions of a run came.
type late struct {
	mu     sync.Mutex
	record trace.Lateness
}

// came says that an action came now: of a job, an event or neither.
func (r *run) came(kind trace.Action, due time.Time, job int, event string) {
	r.late.mu.Lock()
	defer r.late.mu.Unlock()
	r.acted(&r.late.record, kind, due, r.Clock.Now(), trace.Late{Job: job, Event: event})
}

func (r *run) acted(to *trace.Lateness, kind trace.Action, due, done time.Time, of trace.Late) {
	of.Most, of.Due = max(0, done.Sub(due).Seconds()), due.Sub(r.began).Seconds()
	to.Acted(kind, of)
}

// lateness is how late everything came so far, with the ends of jobs by the runner.
func (r *run) lateness() *trace.Lateness {
	r.late.mu.Lock()
	l := r.late.record.Clone()
	r.late.mu.Unlock()
	if r.RunnerEnds == nil {
		return l
	}
	ends, err := r.RunnerEnds()
	if err != nil {
		// The ends in the accounting tell what they did.
		r.Log.Warn("nobody knows how late the runner was", "error", err)
	}
	for _, e := range ends {
		if job, own := r.jobs.job(e.ID); own {
			r.acted(l, trace.ActionEnd, e.Due, e.Done, trace.Late{Job: job})
		}
	}
	return l
}
