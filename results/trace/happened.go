package trace

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/workloads/events"
)

// Happened is an event of the run that was carried out, or that Slurm refused.
type Happened struct {
	events.Event
	// Time is when Slurm had answered, in virtual seconds since the start of the run.
	Time float64 `json:"time_s"`
	// Refused is why Slurm refused it, which ended the run; empty for an event that was carried out.
	Refused string `json:"refused,omitempty"`
}

// Text says it in a sentence.
func (h Happened) Text() string {
	if h.Refused != "" {
		return fmt.Sprintf("Slurm refused the event %s at %d s: %s", h.Event, h.At, h.Refused)
	}
	return fmt.Sprintf("event at %d s: %s", h.At, h.Event)
}

// markVictims marks the jobs that ended as Slurm's NODE_FAIL on a node that an event took down before their end. Both times
// are in seconds from about the same instant, which a minute bounds.
func markVictims(jobs []FinishedJob, happened []Happened) {
	const about = 60
	if len(jobs) == 0 {
		return
	}
	// The times of jobs count from the first submission.
	first := float64(slices.MinFunc(jobs, func(a, b FinishedJob) int { return a.Arrival - b.Arrival }).Arrival)
	for _, h := range happened {
		if h.Kind != events.Down {
			continue
		}
		down := h.Indices()
		for i, j := range jobs {
			if j.State == "NODE_FAIL" && first+j.Finish > h.Time-about && slices.ContainsFunc(j.Allocated, func(n int) bool {
				_, is := slices.BinarySearch(down, n)
				return is
			}) {
				jobs[i].Victim = true
			}
		}
	}
}
