package drive_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// happened are the events that a run told of.
func (b *bench) happened() []trace.Happened {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []trace.Happened
	for _, e := range b.events {
		if e.Happened != nil {
			list = append(list, *e.Happened)
		}
	}
	return list
}

// A node goes down with a job on it, which ends then. A job that needs all nodes starts when the node is back. An
// event after the last end does not hold up the run. The same holds under the agent, and if scontrol gets no answer
// at first.
func TestEventsHappenInTime(t *testing.T) {
	for name, prepare := range map[string]func(*bench){
		"under Slurm":                 func(*bench) {},
		"under the agent":             (*bench).auctions,
		"unanswered":                  func(b *bench) { b.silent = map[string]bool{"scontrol State=RESUME": false} },
		"without an answer in effect": func(b *bench) { b.silent = map[string]bool{"scontrol State=RESUME": true} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, name == "under the agent", 0,
					workloads.Job{ID: 1, Runtime: 300, Limit: 600, Cores: 32, Class: "a"},
					workloads.Job{ID: 2, Arrival: 150, Runtime: 60, Limit: 600, Nodes: 4, Cores: 32, CoresPerNode: 8, Class: "a"},
				)
				prepare(b)
				b.driver.Request.Events = []events.Event{
					{At: 100, Kind: events.Down, Nodes: "n2", Reason: "power supply"},
					{At: 9000, Kind: events.Resume, Nodes: "n2"},
					{At: 1_000_000, Kind: events.Drain, Nodes: "n1", Reason: "never"},
				}
				began := time.Now()
				if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
					t.Fatalf("end %+v", end)
				}
				if took := time.Since(began); took > 3*time.Hour {
					t.Errorf("the run took %v", took)
				}
				first := b.rows(t)[indexOf(b.rows(t), "1")]
				if first.State != "NODE_FAIL" || first.End.Sub(first.Submit) < 99*time.Second || first.End.Sub(first.Submit) > 101*time.Second {
					t.Errorf("the job of the node ended as %+v", first)
				}
				// More than the hour without an event that ends a run lies before.
				second := b.rows(t)[indexOf(b.rows(t), "2")]
				if wait := second.Start.Sub(first.Submit); second.State != "COMPLETED" || wait < 9000*time.Second || wait > 9060*time.Second {
					t.Errorf("the job of all nodes started %v after the first was submitted: %+v", wait, second)
				}
				told := b.happened()
				if len(told) != 2 || told[0].Kind != events.Down || told[0].Time < 100 || told[0].Time > 101 || told[1].Refused != "" {
					t.Errorf("told %+v", told)
				}
			})
		})
	}
}

// Limits change by sacctmgr, at the instant of the event and again if there is no answer, and the run tells of it as of others.
func TestLimitsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, workloads.Job{ID: 1, Runtime: 300, Limit: 600, Cores: 8, Class: "a"})
		runner := &limiting{slow: slow{b, false}, refused: "sacctmgr"}
		b.driver.Client = &slurmctl.Client{Runner: runner}
		b.driver.Slurm, b.driver.Request.Machine = b.driver.Client, limited(t)
		b.driver.Request.Events = []events.Event{{At: 100, Kind: events.Modify, Setting: "QOS=low GrpTRES=gres/gpu=4 GrpJobs=-1"}}
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		if want := "sacctmgr -i modify qos where name=low set GrpTRES=gres/gpu=4 GrpJobs=-1"; len(runner.imposed) != 1 || runner.imposed[0].command != want {
			t.Errorf("got %+v, want %s", runner.imposed, want)
		}
		if told := b.happened(); len(told) != 1 || told[0].Kind != events.Modify || told[0].Time < 100 || told[0].Time > 130 || told[0].Refused != "" {
			t.Errorf("told %+v", told)
		}
	})
}

// What waits for nodes that no event brings back ends the run with Slurm's reason and the nodes, and what Slurm
// refuses ends it at once.
func TestRunsThatEventsEnd(t *testing.T) {
	job := workloads.Job{ID: 1, Arrival: 20, Runtime: 60, Limit: 600, Nodes: 4, Cores: 32, CoresPerNode: 8, Class: "a"}
	for name, tt := range map[string]struct {
		events []events.Event
		want   []string
		told   int
	}{
		"for ever down": {[]events.Event{{At: 10, Kind: events.Down, Nodes: "n[2-3]", Reason: "fire"}}, []string{"no job ran for", "out of service by events", "n[2-3]"}, 1},
		"refused":       {[]events.Event{{At: 10, Kind: events.Resume, Nodes: "n1"}}, []string{"event at 10 s, resume n1", "Invalid node state transition"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, false, 0, job)
				b.driver.Request.Events = tt.events
				end := b.driver.Drive(t.Context())
				for _, want := range tt.want {
					if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, want) {
						t.Errorf("end %+v, want %q", end, want)
					}
				}
				if told := b.happened(); len(told) != tt.told || name == "refused" && told[0].Refused == "" {
					t.Errorf("told %+v", told)
				}
			})
		})
	}
}
