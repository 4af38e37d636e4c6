package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/emulator/clock"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// script plays cycles, and then fails.
type script []trace.Cycle

func (s *script) Cycle(context.Context, time.Duration) (trace.Cycle, error) {
	if len(*s) == 0 {
		return trace.Cycle{}, errors.New("slurmctld is gone")
	}
	c := (*s)[0]
	*s = (*s)[1:]
	return c, nil
}

func (*script) Waiting() int  { return 0 }
func (*script) Settled() bool { return true }

// A kept cluster has a cycle in every interval, records those that did something,
// and tells owners why their jobs wait, jobs that are gone by then aside.
func TestKeep(t *testing.T) {
	because := func(job int, reason string) []trace.Refusal { return []trace.Refusal{{Job: job, Reason: reason}} }
	cycles := script{
		{Cycle: 1},
		{Cycle: 2, Unplaced: because(7, "it wants 2 CPUs per task"), Refused: because(8, "Invalid job id")},
		{Cycle: 3, Released: []trace.Release{{Job: 9}}},
		{Cycle: 4, Unplaced: because(7, "")},
	}
	var recorded []int
	var told []string
	began := time.Now()
	err := emulator.Keep(t.Context(), emulator.Kept{
		Clock: clock.Real(), Began: began, Interval: time.Millisecond, Scheduler: &cycles,
		Record: func(c trace.Cycle) error {
			recorded = append(recorded, c.Cycle)
			return nil
		},
		Tell: func(_ context.Context, job int, text string) error {
			told = append(told, fmt.Sprintf("%d %s", job, text))
			if job == 8 {
				return &slurmctl.RefusedError{Message: "Invalid job id specified"}
			}
			return nil
		},
	})
	if err == nil || err.Error() != "slurmctld is gone" {
		t.Errorf("ended by %v", err)
	}
	if want := []int{2, 3, 4}; !slices.Equal(recorded, want) {
		t.Errorf("recorded cycles %v, want %v", recorded, want)
	}
	want := []string{"7 slurmlab: cannot be scheduled: it wants 2 CPUs per task", "8 slurmlab: refused by Slurm: Invalid job id", "7 "}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
