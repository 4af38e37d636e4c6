package drive_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// dawdler is a scheduler that waits after the first end, and so misses the instant of its cycle.
type dawdler struct {
	drive.Scheduler
	fragile bool
}

func (d *dawdler) Fragile() bool { return d.fragile }

func (d *dawdler) Withhold(context.Context, int) error {
	d.fragile = false
	time.Sleep(time.Minute)
	return nil
}

// Each action of a run tells how late it came, and what was late (issue 38, line 0): the submission of a job, the
// cancellation, the event, the cycle. A burst of submissions, and the thinking of an agent, make nothing late.
func TestActionsTellHowLateTheyWere(t *testing.T) {
	for name, tt := range map[string]struct {
		slowly map[string]time.Duration
		agent  bool
		kind   trace.Action
		most   float64
		job    int
		event  string
	}{
		"all in time":               {},
		"submission by 0.9 s":       {slowly: map[string]time.Duration{"sbatch 3": 900 * time.Millisecond}, kind: trace.ActionArrival, most: 0.9, job: 3},
		"submission":                {slowly: map[string]time.Duration{"sbatch 3": 1100 * time.Millisecond}, kind: trace.ActionArrival, most: 1.1, job: 3},
		"cancellation":              {slowly: map[string]time.Duration{"scancel": 45 * time.Second}, kind: trace.ActionCancel, most: 45, job: 2},
		"event":                     {slowly: map[string]time.Duration{"scontrol State=RESUME": 2 * time.Second}, kind: trace.ActionEvent, most: 2, event: "resume n2"},
		"cycle":                     {agent: true, kind: trace.ActionCycle, most: 60},
		"thinking of 12 s of agent": {agent: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, tt.agent, 0, leavers()...)
				b.slowly = tt.slowly
				b.driver.Request.Events = []events.Event{{At: 20, Kind: events.Drain, Nodes: "n2", Reason: "test"}, {At: 60, Kind: events.Resume, Nodes: "n2"}}
				switch {
				case name == "cycle":
					b.auctions()
					b.driver.Scheduler = &dawdler{b.driver.Scheduler, true}
				case tt.agent:
					b.driver.Scheduler = agent.New(agent.NewSlurm(b.driver.Client, b.slurm), thinking{12 * time.Second},
						agent.Settings{Now: time.Now, Window: 6, Patience: 20, Auction: auction.Options{Bids: auctiontest.AllKinds(auctiontest.Options().Bids)}})
				}
				end := b.driver.Drive(t.Context())
				if end.Status != trace.StatusComplete {
					t.Fatalf("end %+v", end)
				}
				counts := map[trace.Action]int{trace.ActionArrival: 3, trace.ActionCancel: 1, trace.ActionEvent: 2}
				for kind, got := range end.Lateness.ByAction {
					over := 0
					if kind == tt.kind && tt.most > trace.LateSeconds {
						over = 1
					}
					if want := counts[kind]; want != 0 && got.Count != want || got.Count == 0 || got.Over != over {
						t.Errorf("%s: %+v, want %d, %d over", kind, got, want, over)
					}
					delete(counts, kind)
					if kind == tt.kind && (got.Most < tt.most || got.Most > tt.most+0.1 || got.Job != tt.job || got.Event != tt.event) {
						t.Errorf("%s: %+v, want %g s, job %d, event %q", kind, got, tt.most, tt.job, tt.event)
					}
				}
				if len(counts) > 0 || tt.agent != (end.Lateness.ByAction[trace.ActionCycle].Count > 0) {
					t.Errorf("nothing of %v: %+v", counts, end.Lateness)
				}
			})
		})
	}
}

// A submission counts from when the one before was done, so that a thousand jobs of one instant are not late one by
// one. What all of them together took is the arrival lag.
func TestBurstIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []workloads.Job
		for id := range 200 {
			list = append(list, workloads.Job{ID: id + 1, Runtime: 10, Limit: 60, Cores: 1, Class: "a"})
		}
		b := newBench(t, false, 0, list...)
		end := b.driver.Drive(t.Context())
		if got := end.Lateness.ByAction[trace.ActionArrival]; end.Status != trace.StatusComplete || got.Count != 200 || got.Over != 0 || end.ArrivalLagMax < 2 {
			t.Errorf("%+v, lag %g: %+v", got, end.ArrivalLagMax, end)
		}
	})
}

// Ends in the runner's log count for the workload's jobs. Other people's jobs and an unreadable log do not matter.
func TestEndsByTheRunner(t *testing.T) {
	for name, fault := range map[string]error{"read": nil, "unreadable": errors.New("a line is broken")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, false, 0, jobs()...)
				b.driver.RunnerEnds = func() ([]drive.RunnerEnd, error) {
					due := time.Now()
					return []drive.RunnerEnd{{ID: 2, Due: due, Done: due.Add(1500 * time.Millisecond)}, {ID: 999, Due: due, Done: due.Add(time.Hour)}}, fault
				}
				end := b.driver.Drive(t.Context())
				got := end.Lateness.ByAction[trace.ActionEnd]
				got.Due = 0
				if want := (trace.Late{Count: 1, Over: 1, Most: 1.5, Job: 2}); end.Status != trace.StatusComplete || got != want {
					t.Errorf("%+v, want %+v: %+v", got, want, end)
				}
			})
		})
	}
}

// A run that goes on from a checkpoint includes the lateness of the part before.
func TestLatenessGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, leavers()...)
		b.slowly = map[string]time.Duration{"sbatch 2": 3 * time.Second}
		b.driver.Freeze = func(context.Context) error { return nil }
		b.driver.Request.StopAt = 50
		end := b.driver.Drive(t.Context())
		if end.Position == nil || !reflect.DeepEqual(end.Position.Lateness, end.Lateness) {
			t.Fatalf("end %+v", end)
		}
		want := end.Lateness.ByAction[trace.ActionArrival]
		b.driver.Request.StopAt, b.driver.Request.From = 0, end.Position
		end = b.driver.Drive(t.Context())
		want.Count = 3
		if got := end.Lateness.ByAction[trace.ActionArrival]; end.Status != trace.StatusComplete || got != want || got.Over != 1 {
			t.Errorf("%+v, want %+v: %+v", got, want, end)
		}
	})
}
