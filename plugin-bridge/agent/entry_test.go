package agent_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// The journal's entry of a cycle has the window, what is free, which jobs hold the rest until when, and which held
// jobs found no room in the window. Its replay decides as the cycle did.
func TestJournal(t *testing.T) {
	// Job 1 has other cores on each of its nodes, which Slurm's queue does not show:
	// the agent knows it since it has verified the placement.
	obstructed := job(5, 1)
	obstructed.Obstacle = "odd"
	c := newOdd(3, 8, 0, job(1, 12), job(2, 8), obstructed, job(3, 8), job(4, 8))
	var entries []journal.Entry
	a := agent.New(c, auctiontest.Greedy{}, agent.Settings{
		Window: 2, Patience: 2, Now: func() time.Time { return epoch.Add(10 * time.Second) },
		Auction: auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 3}), Clock: func() time.Duration { return 0 }},
		Journal: func(e journal.Entry) error {
			entries = append(entries, e)
			return nil
		},
	})
	for range 2 {
		record, err := a.Cycle(t.Context(), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		e := entries[len(entries)-1]
		result, err := journal.Replay(e)
		if err != nil || e.Cycle != record.Cycle || e.Options.Bids.MaxBidsPerJob != 3 || len(result.Bids) != record.Bids {
			t.Fatalf("entry %+v of %+v, replay %v", e, record, err)
		}
		var won []int
		for _, b := range result.Ordered {
			won = append(won, e.Snapshot.Jobs[b.Job].ID)
		}
		for i, r := range record.Released {
			if won[i] != r.Job {
				t.Errorf("cycle %d released %v, its replay %v", e.Cycle, record.Released, won)
			}
		}
	}
	if e := entries[0]; len(e.Running) != 0 || !reflect.DeepEqual(e.Outside, []int{3, 4}) {
		t.Errorf("first entry has %v running and %v outside", e.Running, e.Outside)
	}
	second := entries[1]
	if len(second.Running) != 2 || len(second.Outside) != 0 || len(second.Snapshot.Jobs) != 2 {
		t.Fatalf("second entry %+v, want jobs 1 and 2 running and 3 and 4 in the window", second)
	}
	for _, r := range second.Running {
		p := c.running[r.Job]
		// Started at the epoch, which is the start of the run: its limit is a minute.
		if !reflect.DeepEqual(r, machine.Holding{Job: r.Job, Allocation: machine.Allocation{Nodes: p.Nodes, Cores: p.Cores}, End: time.Minute}) {
			t.Errorf("running %+v, placed %+v", r, p)
		}
		for i, n := range r.Nodes {
			if second.Snapshot.Nodes[n].FreeCores > 8-r.Cores[i] {
				t.Errorf("node %d has %d cores free beside job %d", n, second.Snapshot.Nodes[n].FreeCores, r.Job)
			}
		}
	}
}

// Jobs that were released and have not started hold what was planned for them.
func TestJournalOfJobsInFlight(t *testing.T) {
	c := newOdd(2, 8, 0, job(1, 8), job(2, 16))
	c.stuck = true
	c.held[0].Request.TimeLimit = time.Hour
	var last journal.Entry
	a := agent.New(c, auctiontest.Greedy{}, agent.Settings{
		Auction: auctiontest.Options(),
		Window:  2, Patience: 2, Now: func() time.Time { return epoch },
		Journal: func(e journal.Entry) error { last = e; return nil },
	})
	for range 2 {
		if _, err := a.Cycle(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	if len(last.Running) != 1 || last.Running[0].Job != 1 || last.Running[0].End != time.Hour || last.Running[0].Cores[0] != 8 {
		t.Errorf("entry has %+v running, want job 1 on its planned node for an hour", last.Running)
	}
}

func TestJournalThatFails(t *testing.T) {
	c := newOdd(1, 8, 0, job(1, 8))
	a := agent.New(c, auctiontest.Greedy{}, agent.Settings{
		Auction: auctiontest.Options(),
		Window:  2, Patience: 2, Now: time.Now, Journal: func(journal.Entry) error { return errors.New("disk full") },
	})
	record, err := a.Cycle(t.Context(), 0)
	if err == nil || !strings.Contains(err.Error(), "disk full") || len(record.Released) != 1 {
		t.Errorf("record %+v, error %v, want the released job and the fault", record, err)
	}
}
