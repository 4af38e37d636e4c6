package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
)

// TestDump: Options.Dump gets the final program of each cycle, and is not called in a
// cycle without a program.
func TestDump(t *testing.T) {
	c := newOdd(2, 8, 0, job(1, 8), job(2, 8))
	dumped := map[int]int{}
	a := agent.New(c, auctiontest.Greedy{}, agent.Settings{
		Auction: auctiontest.Options(),
		Window:  10, Patience: 2,
		Dump: func(cycle int, s auction.Snapshot, r auction.Result) error {
			if len(s.Nodes) != 2 || len(s.Jobs) != 2 {
				t.Errorf("cycle %d: %d nodes, %d jobs", cycle, len(s.Nodes), len(s.Jobs))
			}
			dumped[cycle] = len(r.Problem.Objective)
			return nil
		},
	})
	first, err := a.Cycle(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.Cycle(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if len(dumped) != 1 || dumped[1] != first.Columns || first.Columns == 0 {
		t.Errorf("dumped %v, want the %d columns of cycle 1", dumped, first.Columns)
	}
}

// TestDumpFails: a cycle whose program cannot be written releases no job.
func TestDumpFails(t *testing.T) {
	c := newOdd(2, 8, 0, job(1, 8))
	a := agent.New(c, auctiontest.Greedy{}, agent.Settings{
		Auction: auctiontest.Options(),
		Window:  10, Patience: 2,
		Dump: func(int, auction.Snapshot, auction.Result) error { return errors.New("disk full") },
	})
	record, err := a.Cycle(t.Context(), 0)
	if err == nil || !strings.Contains(err.Error(), "cycle 1: dump program: disk full") || len(record.Released) != 0 || len(c.held) != 1 {
		t.Errorf("%+v, %v", record, err)
	}
}
