package conf

import (
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Sharing is how jobs get nodes that others have.
type Sharing struct {
	// JobsPerCore is the number of jobs that may have a core at a time
	// (OverSubscribe=FORCE), whether they ask for it or not; 0 and 1 for one.
	JobsPerCore int `json:"jobs_per_core,omitempty"`
	// Preemption is what becomes of a job when another is put in its place.
	Preemption Preemption `json:"preemption,omitempty"`
}

// Preemption is a value of slurm.conf's PreemptMode; the zero value is Slurm's OFF.
type Preemption string

// The values of PreemptMode. By the first two a job of the partition Urgent displaces jobs of the partition main
// (PreemptType=preempt/partition_prio). They are suspended until it has ended, or are requeued. By the third all jobs
// on a core have it in turn.
const (
	PreemptSuspend Preemption = "SUSPEND,GANG"
	PreemptRequeue Preemption = "REQUEUE"
	TimeSlices     Preemption = "GANG"
)

// Preemptions returns all but OFF.
func Preemptions() []Preemption { return []Preemption{PreemptSuspend, PreemptRequeue, TimeSlices} }

// Urgent is the name of the partition whose jobs preempt others, empty if there is none.
func (p Preemption) Urgent() string {
	switch p {
	case PreemptSuspend, PreemptRequeue:
		return "urgent"
	default:
		return ""
	}
}

// TimeSlice is SchedulerTimeSlice in seconds, 0 where nothing is sliced. Slurm's own 30 s are three times what an
// analytics of DJSB takes. Six of them, of which each waits for up to two slices, would not finish before the
// simulation.
func (s Sharing) TimeSlice() int {
	if s.Preemption == TimeSlices {
		return 10
	}
	return 0
}

// OverSubscribe is the partitions' value of that name. Gang scheduling looks after partitions
// with FORCE alone; with FORCE:1 only a job of another partition gets a core that is taken
// (slurm.conf(5), PreemptMode).
func (s Sharing) OverSubscribe() string {
	switch {
	case s.JobsPerCore > 1:
		return fmt.Sprintf("FORCE:%d", s.JobsPerCore)
	case s.Preemption == PreemptSuspend:
		return "FORCE:1"
	default:
		return "NO"
	}
}

// Shares says that a job may get a core that another one has.
func (s Sharing) Shares() bool { return s.JobsPerCore > 1 || s.Preemption != "" }

// Validate reports every fault.
func (s Sharing) Validate() error {
	var bad []error
	if s.JobsPerCore < 0 {
		bad = append(bad, fmt.Errorf("jobs per core: %d is not allowed, want 0 or more", s.JobsPerCore))
	}
	switch s.Preemption {
	case "", PreemptSuspend, PreemptRequeue:
	case TimeSlices:
		if s.JobsPerCore < 2 {
			bad = append(bad, fmt.Errorf("preemption: %s with %d jobs per core is not allowed, want 2 or more", s.Preemption, s.JobsPerCore))
		}
	default:
		bad = append(bad, fmt.Errorf("preemption: %q is not allowed, want %s, or none", s.Preemption, faults.Or(Preemptions())))
	}
	return errors.Join(bad...)
}
