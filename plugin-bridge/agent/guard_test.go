package agent_test

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// TestGuard: job 2 wants both nodes, of which job 1 has one until minute 10. Its
// backlog is 1/2 x 9 + 10 and 10 of its own, so that with a factor of 0.1 it is
// overdue when it has waited for 2.45 minutes. From then on job 3, which would end
// after minute 10, waits, and job 4 does not; without the guard both start.
func TestGuard(t *testing.T) {
	held := func(id, nodes int, limit time.Duration) agent.HeldJob {
		return agent.HeldJob{ID: id, Job: id, Request: bidding.Job{Nodes: nodes, CoresPerNode: 8, TimeLimit: limit}}
	}
	for _, c := range []struct {
		factor   float64
		arrives  agent.HeldJob
		released bool
		reserved int
	}{
		{0, held(3, 1, time.Hour), true, 0},
		{0.1, held(3, 1, time.Hour), false, 2},
		{0.1, held(4, 1, 5*time.Minute), true, 2},
		{1, held(3, 1, time.Hour), true, 0},
	} {
		cluster := newOdd(2, 8, 0, held(1, 1, 10*time.Minute))
		a := agent.New(cluster, auctiontest.Exhaustive{}, agent.Options{Auction: auctiontest.Options(), Window: 10, Patience: 2, MaxBypass: c.factor})
		cycle := func(minute time.Duration) (reserved int, released bool) {
			record, err := a.Cycle(t.Context(), minute*time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return record.Reserved, len(record.Released) > 0
		}
		if _, released := cycle(0); !released {
			t.Fatal("job 1 does not start")
		}
		cluster.held = append(cluster.held, held(2, 2, 10*time.Minute))
		if reserved, released := cycle(1); reserved != 0 || released {
			t.Fatalf("job 2 at once: reserved for job %d, released %v", reserved, released)
		}
		cluster.held = append(cluster.held, c.arrives)
		reserved, released := cycle(4)
		if reserved != c.reserved || released != c.released {
			t.Errorf("factor %g, job %d: reserved for job %d, released %v", c.factor, c.arrives.ID, reserved, released)
		}
		if reserved > 0 && a.Settled() {
			t.Error("settled with a reservation, which moves with time")
		}
	}
}
