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
		a := agent.New(cluster, auctiontest.Exhaustive{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 2, MaxBypass: c.factor})
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
			t.Error("settled with a reservation and without a clock that says until when")
		}
	}
}

// While job 2 has the reservation, nothing can start before job 1 ends, which the agent saw running at minute 1, or
// before job 3 is overdue as well. Its backlog at minute 4 is 1/2 x 7, 10 and 1/2 x 60, and 60 of its own. A tenth of
// that is 10 min 21 s.
func TestSettledWithAReservation(t *testing.T) {
	held := func(id, nodes int, limit time.Duration) agent.HeldJob {
		return agent.HeldJob{ID: id, Job: id, Request: bidding.Job{Nodes: nodes, CoresPerNode: 8, TimeLimit: limit}}
	}
	began := time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)
	now := began
	cluster := newOdd(2, 8, 0, held(1, 1, 10*time.Minute))
	a := agent.New(cluster, auctiontest.Exhaustive{}, agent.Settings{
		Auction: auctiontest.Options(), Window: 10, Patience: 2, MaxBypass: 0.1, Now: func() time.Time { return now },
	})
	cycle := func(minute time.Duration) {
		now = began.Add(minute * time.Minute)
		for i := range cluster.held {
			if cluster.held[i].Submit.IsZero() {
				cluster.held[i].Submit = now
			}
		}
		if _, err := a.Cycle(t.Context(), minute*time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	cycle(0)
	cluster.held = append(cluster.held, held(2, 2, 10*time.Minute))
	cycle(1)
	cluster.held = append(cluster.held, held(3, 1, time.Hour))
	cycle(4)
	if want := began.Add(14*time.Minute + 22*time.Second); !a.Settled() || !a.Next().Equal(want) {
		t.Errorf("settled %v until %v, want until %v", a.Settled(), a.Next(), want)
	}
}

// An agent that goes on with another one's memory has its pace: jobs of 100 s on average, of which the next one to end ran for
// an hour.
func TestPaceIsRemembered(t *testing.T) {
	const interval = 5 * time.Second
	began := time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)
	a := agent.New(newOdd(1, 8, 0), auctiontest.Exhaustive{}, agent.Settings{
		Auction: auctiontest.Options(), Window: 10, Patience: 2, Now: func() time.Time { return began.Add(time.Hour) },
	})
	a.Remember(agent.Memory{Ran: 100 * time.Second, Started: map[int]time.Time{7: began}})
	m := a.Memory()
	if got := a.Pace(interval); got != 2*time.Second || m.Ran != 100*time.Second || !m.Started[7].Equal(began) {
		t.Errorf("a pace of %v and the memory %+v", got, m)
	}
	if _, err := a.Cycle(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got, m := a.Pace(interval), a.Memory(); got != interval || m.Ran != 450*time.Second || len(m.Started) > 0 {
		t.Errorf("after an hour's job a pace of %v and the memory %+v", got, m)
	}
}
