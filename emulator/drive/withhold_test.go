package drive_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// fragile is an agent that wants to hear of ends until it heard of one.
type fragile struct {
	*agent.Agent
	began time.Time
	told  []int
	after time.Duration
}

func (f *fragile) Fragile() bool { return len(f.told) == 0 }

func (f *fragile) Withhold(_ context.Context, ended int) error {
	f.told, f.after = append(f.told, ended), time.Since(f.began)
	return nil
}

// A scheduler whose placements an end could change hears of the end when it happens, and not in its next cycle.
// Afterwards it hears of none.
func TestEndsAreToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true, 0,
			workloads.Job{ID: 1, Runtime: 30, Limit: 600, Cores: 8, Class: "a"},
			workloads.Job{ID: 2, Runtime: 300, Limit: 600, Cores: 8, Class: "a"})
		b.driver.Request.Policy.Parameters.Interval = 20 * time.Second
		a := agent.New(agent.NewSlurm(b.driver.Client, b.driver.Client), auctiontest.Exhaustive{}, agent.Settings{
			Window: 6, Patience: 2, Auction: auction.Options{Bids: auctiontest.AllKinds(auctiontest.Options().Bids)},
		})
		f := &fragile{Agent: a, began: time.Now()}
		b.driver.Scheduler = f
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Errorf("end %+v", end)
		}
		if !slices.Equal(f.told, []int{1}) {
			t.Errorf("told of %v, want job 1 alone", f.told)
		}
		// It starts at once and ends 30 s later, between the second cycle and
		// the third one.
		if f.after < 30*time.Second || f.after >= 40*time.Second {
			t.Errorf("told after %v, want the time of the end", f.after)
		}
	})
}
