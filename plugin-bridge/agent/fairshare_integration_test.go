//go:build integration

package agent_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// Shares and accounts are Slurm's. Of two accounts whose jobs want the whole
// machine, the one that has used it goes behind the other, who came later.
func TestFairShareOnSlurm(t *testing.T) {
	t.Parallel()
	client, r := start(t, 4, 8, 0)
	if err := client.AddAccounts(t.Context(), "alice", "bob"); err != nil {
		t.Fatal(err)
	}
	r.shell(t, "sacctmgr -i modify account alice set fairshare=2\n")
	whole := "-N 4 --ntasks-per-node=8 --account="
	r.submit(t, 1, whole+"alice")
	cluster := agent.NewSlurm(client, client).WithAccounts()
	a := agent.New(cluster, packing.QuickSolver{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100, FairShare: time.Hour})
	if record, err := a.Cycle(t.Context(), 0); err != nil || !slices.Equal(released(record), []int{1}) {
		t.Fatalf("%+v, %v, want job 1 released", record, err)
	}
	verified(t, a, r, 1)
	r.submit(t, 2, whole+"alice")
	r.submit(t, 3, whole+"bob")
	state, err := cluster.State(t.Context())
	if err != nil || state.Charged["alice"] != 32 || len(state.Held) != 2 || state.Held[0].Account != "alice" || state.Held[1].Account != "bob" {
		t.Fatalf("%+v, %v", state, err)
	}
	// root's own user is a sibling with one share.
	if a, b := state.Shares["alice"], state.Shares["bob"]; math.Abs(a-0.5) > 1e-9 || math.Abs(b-0.25) > 1e-9 {
		t.Errorf("shares %v, want alice 2 of 4 and bob 1", state.Shares)
	}
	// Half an hour passes for the ledger; then job 1 ends.
	if record, err := a.Cycle(t.Context(), 30*time.Minute); err != nil || len(record.Released) != 0 {
		t.Fatalf("%+v, %v, want no job on a full machine", record, err)
	}
	r.shell(t, "scancel -n 1\n")
	until(t, "bob's job is released", func() bool {
		record, err := a.Cycle(t.Context(), 30*time.Minute)
		if err != nil || slices.Contains(released(record), 2) {
			t.Fatalf("%+v, %v, want job 3 before job 2", record, err)
		}
		return slices.Contains(released(record), 3)
	})
}
