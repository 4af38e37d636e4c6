package agent_test

import (
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
)

// TestFairShare: alice floods a machine that holds one job at a time, bob comes
// last with one job. IPSCHED's future work, "incorporate a fair share policy":
// with it bob is next, however narrow the window; without it he is last.
func TestFairShare(t *testing.T) {
	for _, c := range []struct {
		halfLife time.Duration
		window   int
		position int
	}{{0, 10, 5}, {time.Hour, 10, 2}, {time.Hour, 1, 2}} {
		cluster := slurmtest.New(slurmtest.Config{Nodes: 2, Cores: 8})
		client := &slurmctl.Client{Runner: cluster}
		if err := client.AddAccounts(t.Context(), "alice", "bob"); err != nil {
			t.Fatal(err)
		}
		for i, account := range []string{"alice", "alice", "alice", "alice", "bob"} {
			if _, err := client.Submit(t.Context(), sbatch.Request{
				Name: string(rune('1' + i)), Terms: sbatch.Terms{Account: account}, Tasks: 16, Nodes: 2, TasksPerNode: 8,
				TimeLimit: 10 * time.Minute, Hold: true, Script: "#!/bin/sh\nsleep 60\n",
			}); err != nil {
				t.Fatal(err)
			}
		}
		a := agent.New(agent.NewSlurm(client, cluster).WithAccounts(), packing.QuickSolver{}, agent.Settings{
			Auction: auctiontest.Options(),
			Window:  c.window, Patience: 2, FairShare: c.halfLife, Now: time.Now,
			Journal: func(e journal.Entry) error {
				for _, j := range e.Snapshot.Jobs {
					if slices.Contains(e.Outside, j.ID) {
						t.Errorf("half-life %v, window %d: job %d is in the window and outside", c.halfLife, c.window, j.ID)
					}
				}
				return nil
			},
		})
		var order []int
		for now := time.Duration(0); len(order) < 5 && now < time.Hour; now += 5 * time.Second {
			record, err := a.Cycle(t.Context(), now)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range record.Released {
				order = append(order, x.Job)
			}
			cluster.Advance(5 * time.Second)
		}
		if len(order) != 5 || order[c.position-1] != 5 {
			t.Errorf("half-life %v, window %d: order %v, want job 5 at position %d", c.halfLife, c.window, order, c.position)
		}
	}
}
