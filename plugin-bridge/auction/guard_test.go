package auction_test

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// A guard remembers the jobs that wait and no others: of 20,000 jobs that go through a
// cluster few do (issue 16, line 7).
func TestGuardKeepsWaitingJobs(t *testing.T) {
	for _, waits := range []bool{true, false} {
		g := auction.NewGuard(0.1)
		mark := func(now time.Duration) bool {
			s := auction.Snapshot{
				Nodes: []machine.Node{{Name: "n1", Cores: 8, FreeCores: 8}}, Now: now,
				Jobs: []bidding.Job{{ID: 7, Nodes: 1, CoresPerNode: 8, TimeLimit: time.Minute}},
			}
			g.Mark(s)
			return s.Jobs[0].Overdue
		}
		if mark(0) {
			t.Fatal("a new job is overdue")
		}
		g.Keep(map[int]bool{7: waits})
		if got := mark(time.Hour); got != waits {
			t.Errorf("the job waits %v, and is overdue after an hour: %v", waits, got)
		}
	}
}
