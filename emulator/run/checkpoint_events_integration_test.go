//go:build integration

package run_test

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// Five jobs fill the five nodes in service until 6000 s. The run stops at 2000 s: n1 is down and killed a job, n2 is
// drained and has one. n3 came back after another was killed there and is to be taken last. No job of more than an
// hour may start, and one waits for two nodes. At the very instant of the stop n5 is drained; n4 goes down later and
// kills a third job.
const (
	fiveOfSix = `name: six
groups:
  - {name: cn, count: 6, cores: 8}
down_nodes:
  - {nodes: n6, state: down, reason: gone}
`

	stoppedJobs = `1,0,6000,7200,1,8,8,0,0,0,long,completed,0
2,0,6000,7200,1,8,8,0,0,0,long,completed,0
3,0,6000,7200,1,8,8,0,0,0,long,completed,0
4,0,6000,7200,1,8,8,0,0,0,long,completed,0
5,0,6000,7200,1,8,8,0,0,0,long,completed,0
6,1300,500,600,1,8,8,0,0,0,short,completed,0
7,1900,60,600,2,16,8,0,0,0,two,completed,0
8,2100,60,600,1,8,8,0,0,0,short,completed,0
9,4500,100,7200,1,8,8,0,0,0,limited,completed,0
10,6100,60,600,5,40,8,0,0,0,all,completed,0
`
	stoppedEvents = `at_s,event,nodes,reason,setting
300,down,n1,fire,
600,drain,n2,fan,
700,update,,,PartitionName=main MaxTime=60
800,update,,,NodeName=n3 Weight=50
900,down,n3,cable,
1200,resume,n3,,
2000,drain,n5,at the stop,
2500,down,n4,power supply,
4000,resume,"n1,n4",,
5000,update,,,PartitionName=main MaxTime=UNLIMITED
6500,resume,"n2,n5",,
`
	eventsStop  = 2000
	eventsAgain = 3000
)

// A run with events that is stopped goes on as one that was not. Slurm saves no state of an external node and no
// setting of a partition that a new slurmctld takes by itself (load_all_node_state in src/slurmctld/node_mgr.c, -R of
// slurmctld(8)), and a Weight not at all.
func TestEventsGoOn(t *testing.T) {
	t.Parallel()
	machine := file(t, "six.yaml", fiveOfSix)
	for _, name := range []string{policy.WholeQueue, policy.Auction} {
		t.Run(name, func(t *testing.T) {
			// TestStoppedRunGoesOn stops the auction without events, and TestEvents has events under it.
			if name == policy.Auction {
				hosttest.Long(t, "stops a run with events under an agent")
			}
			c := config(t, backendtest.External(), machine, file(t, "stopped.csv", outcomeHeader+stoppedJobs), name, 0)
			var err error
			if c.Events, err = events.Read(strings.NewReader(stoppedEvents), "e.csv", c.Machine); err != nil {
				t.Fatal(err)
			}
			whole := c
			whole.Dir = run.OwnDir(t, "whole")
			want := withVictims(t, whole)

			past := c
			past.Dir, past.StopAt = run.OwnDir(t, "past"), eventsStop
			checkpoint := stoppedFor(t, past, 6)
			future := c
			future.Dir, future.From = run.OwnDir(t, "future"), checkpoint
			got := withVictims(t, future)
			sameEvents(t, want, got, 1, name == policy.WholeQueue)

			// Under another policy, or stopped again.
			other := future
			other.Dir = run.OwnDir(t, "other")
			if name == policy.Auction {
				other.Policy = find(t, policy.Backfill)
			} else {
				second := future
				second.Dir, second.StopAt = run.OwnDir(t, "second"), eventsAgain
				other.From = stoppedFor(t, second, 8)
			}
			sameEvents(t, got, withVictims(t, other), 0, name == policy.WholeQueue)
		})
	}
}

// stoppedFor carries out a run that is to stop, and opens its checkpoint, in which so many events are over.
func stoppedFor(t *testing.T, c run.Config, over int) *run.Checkpoint {
	t.Helper()
	c, record := punctual(t, c)
	if record.Status != trace.StatusIncomplete || len(record.Happened) != over {
		t.Fatalf("stopped run is %s: %s; happened %+v, want %d", record.Status, record.Reason, record.Happened, over)
	}
	checkpoint, err := run.OpenCheckpoint(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if checkpoint.Position.Events != over {
		t.Errorf("%d events are over, want %d", checkpoint.Position.Events, over)
	}
	return checkpoint
}

// withVictims carries out a run with its victims: two of before the stop and one of after it.
func withVictims(t *testing.T, c run.Config) metric.Result {
	t.Helper()
	c, _ = punctual(t, c)
	r, err := run.Metrics(mustOpen(t, c.Dir))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(c.Dir)
	if v := r.Run.Victims; v == nil || v.Count != 3 || r.Run.FailedJobs != nil {
		t.Errorf("%s: victims %+v, failed %+v, want three victims", name, v, r.Run.FailedJobs)
	}
	var told []events.Event
	for _, h := range r.Run.Happened {
		told = append(told, h.Event)
		until := h.At + 2
		if h.At == eventsStop {
			// As soon as the cluster is there again.
			until = 2500
			t.Logf("%s: %s at %g s", name, h, h.Time)
		}
		if h.Time < float64(h.At) || h.Time > float64(until) {
			t.Errorf("%s: %s at %g s, want it at %d s", name, h, h.Time, h.At)
		}
	}
	if !slices.Equal(told, c.Events) || !reflect.DeepEqual(r.Run.Events, events.SumOf(c.Events)) {
		t.Errorf("%s: happened %v, events %+v", name, told, r.Run.Events)
	}
	for _, tt := range []struct {
		job, from, until int
		why              string
	}{
		{7, 4000, 4500, "two nodes are free"},
		{8, 2100, 2500, "n3 is free, and no other node"},
		{9, 5000, 6000, "the limit of an hour ends"},
		{10, 6500, 7000, "n2 and n5 come back"},
	} {
		// The times of jobs count from the first submission, within two seconds of those of events.
		if j := r.Jobs[tt.job-1]; j.Start < float64(tt.from-2) || j.Start > float64(tt.until) {
			t.Errorf("%s: job %d started at %g s on %v, want it from %d s on, when %s", name, j.ID, j.Start, j.Allocated, tt.from, tt.why)
		}
	}
	if short := r.Jobs[7]; !slices.Equal(short.Allocated, []int{2}) {
		t.Errorf("%s: job 8 is on %v, want it on n3", name, short.Allocated)
	}
	return r
}

// sameEvents compares two runs: what was before the stop is the same, and so are the victims. The first submissions of two runs, from which
// times count, may be a second apart. Slurm takes nodes in the order of their weights.
func sameEvents(t *testing.T, want, got metric.Result, apart float64, weights bool) {
	t.Helper()
	for i, j := range got.Jobs {
		w := want.Jobs[i]
		if min(j.Start, w.Start) < eventsStop && (math.Abs(j.Start-w.Start) > apart || !slices.Equal(j.Allocated, w.Allocated)) {
			t.Errorf("job %d started at %g s on %v, want %g s on %v", j.ID, j.Start, j.Allocated, w.Start, w.Allocated)
		}
		if j.Victim != w.Victim || j.Victim && math.Abs(j.Finish-w.Finish) > 1 {
			t.Errorf("job %d ended at %g s, victim %t; want %g s, %t", j.ID, j.Finish, j.Victim, w.Finish, w.Victim)
		}
	}
	if !reflect.DeepEqual(got.Run.Victims, want.Run.Victims) {
		t.Errorf("victims %+v, want %+v", got.Run.Victims, want.Run.Victims)
	}
	if two := got.Jobs[6]; weights && !slices.Equal(two.Allocated, []int{0, 3}) {
		t.Errorf("job 7 is on %v, want it on n1 and n4, as n3 is to be taken last", two.Allocated)
	}
	t.Logf("starts %v, want %v", starts(got.Jobs), starts(want.Jobs))
}

func starts(jobs []trace.FinishedJob) []float64 {
	list := make([]float64, len(jobs))
	for i, j := range jobs {
		list[i] = j.Start
	}
	return list
}
