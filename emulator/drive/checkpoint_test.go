package drive_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// pastAndFuture are jobs on 32 cores: 1 has ended at second 100, 2 runs, 3 waits for its
// nodes, and 4 has not arrived.
func pastAndFuture() []workloads.Job {
	return []workloads.Job{
		{ID: 1, Runtime: 30, Limit: 600, Cores: 16, Class: "a"},
		{ID: 2, Arrival: 20, Runtime: 300, Limit: 600, Cores: 16, Class: "a"},
		{ID: 3, Arrival: 40, Runtime: 60, Limit: 600, Cores: 32, Class: "a"},
		{ID: 4, Arrival: 100, Runtime: 60, Limit: 600, Cores: 8, Class: "a"},
	}
}

// A run that stops leaves where it is, and another driver goes on from there. Jobs and cycles go on counting. Past
// jobs are not submitted again, and past cycles not reported again.
func TestStopAndContinue(t *testing.T) {
	for _, hold := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, hold, 0, pastAndFuture()...)
			interval := 20 * time.Second
			p := policy.Policy{Parameters: policy.DefaultParameters()}
			p.Parameters.Interval, p.Parameters.Cycles, p.Scheduler.External = interval, policy.CyclesChanged, hold
			schedule := func(m *agent.Memory) *agent.Agent {
				a := agent.New(agent.NewSlurm(b.driver.Client, b.driver.Client), auctiontest.Exhaustive{}, agent.Settings{
					Window: 6, Patience: 2, Auction: auction.Options{Bids: auctiontest.AllKinds(auctiontest.Options().Bids)},
				})
				if m != nil {
					a.Remember(*m)
				}
				return a
			}
			var first *agent.Agent
			if hold {
				first = schedule(nil)
				b.driver.Scheduler = first
			}
			began, frozen := time.Now(), time.Time{}
			b.driver.Request.Policy, b.driver.Request.StopAt = p, 100
			b.driver.Freeze = func(context.Context) error {
				frozen = time.Now()
				return nil
			}
			end := b.driver.Drive(t.Context())
			if end.Status != trace.StatusIncomplete || end.Position == nil {
				t.Fatalf("hold %t: end %+v", hold, end)
			}
			// The run begins within two seconds, at a half.
			if at := frozen.Sub(began); at < 100*time.Second || at > 102*time.Second {
				t.Errorf("hold %t: frozen after %v, want 100 s", hold, at)
			}
			want := []drive.Handed{{Job: 1, ID: 1, Ended: true}, {Job: 2, ID: 2}, {Job: 3, ID: 3}}
			if got := end.Position.Jobs; !slices.Equal(got, want) {
				t.Errorf("hold %t: jobs %+v, want %+v", hold, got, want)
			}
			before := b.cycles()
			if hold && (len(before) == 0 || before[len(before)-1].Time >= 100) {
				t.Errorf("cycles before the stop: %+v", before)
			}
			position := *end.Position
			text, err := json.Marshal(position)
			var again drive.Position
			if err == nil {
				err = json.Unmarshal(text, &again)
			}
			if err != nil {
				t.Fatal(err)
			}
			b.driver.Request.StopAt, b.driver.Request.From = 0, &again
			if hold {
				m := first.Memory()
				b.driver.Scheduler = schedule(&m)
			}
			end = b.driver.Drive(t.Context())
			if end.Status != trace.StatusComplete || end.Submitted != 4 || end.Position != nil {
				t.Fatalf("hold %t: end %+v", hold, end)
			}
			all := b.cycles()
			for i, c := range all {
				if c.Cycle != i+1 {
					t.Errorf("cycle %d has number %d", i+1, c.Cycle)
				}
				if late := time.Duration(c.Time*float64(time.Second)) % interval; late > time.Second {
					t.Errorf("cycle %d is at %v s, want multiples of %v", c.Cycle, c.Time, interval)
				}
			}
			if end.Cycles != len(all) {
				t.Errorf("hold %t: end says %d cycles, want %d", hold, end.Cycles, len(all))
			}
		})
	}
}

// A run that ends before it is to stop is complete, and freezes nothing.
func TestEndBeforeStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, pastAndFuture()...)
		b.driver.Request.StopAt = 10_000
		b.driver.Freeze = func(context.Context) error {
			t.Error("the cluster was frozen")
			return nil
		}
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete || end.Position != nil {
			t.Errorf("end %+v", end)
		}
	})
}

// Jobs that are held for an agent are released for a scheduler of Slurm's own.
func TestAgentGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true, 0, pastAndFuture()...)
		p := policy.Policy{Parameters: policy.DefaultParameters()}
		p.Scheduler.External = true
		b.driver.Request.Policy, b.driver.Request.StopAt = p, 50
		b.driver.Freeze = func(context.Context) error { return nil }
		end := b.driver.Drive(t.Context())
		if end.Position == nil || !end.Position.Held || len(end.Position.Jobs) != 3 {
			t.Fatalf("end %+v", end)
		}
		b.driver.Request = drive.Request{
			Spec: drive.Spec{
				Machine: b.driver.Request.Machine, Jobs: b.driver.Request.Jobs[:3],
				Policy: policy.Policy{Parameters: policy.DefaultParameters()},
			}, From: end.Position,
		}
		if end = b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Errorf("end %+v", end)
		}
	})
}
