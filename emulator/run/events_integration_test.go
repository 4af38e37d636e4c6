//go:build integration

package run_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// The real Slurm carries out each event on nodes and partitions at its time. sacct has NODE_FAIL of the job on a node
// that goes down, at that time, and lets the job of a drained node end. Jobs start elsewhere meanwhile, and after the
// return on all nodes. A job beyond MaxTime of its partition waits until the limit is another one.
func TestEvents(t *testing.T) {
	t.Parallel()
	machine := file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\n")
	for _, name := range []string{policy.WholeQueue, policy.Auction} {
		t.Run(name, func(t *testing.T) {
			c := config(t, backendtest.External(), machine, file(t, "events.csv", outcomeHeader+
				`1,0,3000,6000,4,32,8,0,0,0,wide,completed,0
2,1000,2000,6000,3,24,8,0,0,0,three,completed,0
3,1010,60,600,4,32,8,0,0,0,wide,completed,0
4,7010,60,7200,1,8,8,0,0,0,long,completed,0
5,7020,60,600,1,8,8,0,0,0,short,completed,0
`), name, 0)
			list, err := events.Read(strings.NewReader("at_s,event,nodes,reason,setting\n"+
				"600,down,n1,power supply,\n1500,drain,n2,fan,\n6000,resume,\"n1,n2\",,\n"+
				"7000,update,,,PartitionName=main MaxTime=60\n9000,update,,,PartitionName=main MaxTime=UNLIMITED\n"), "e.csv", c.Machine)
			if err != nil {
				t.Fatal(err)
			}
			c.Events, c.Dir = list, run.OwnDir(t, "events-"+name)
			c, _ = punctual(t, c)
			dir := mustOpen(t, c.Dir)
			r, err := run.Metrics(dir)
			if err != nil {
				t.Fatal(err)
			}
			checkEvents(t, c, dir, r.Run, r.Jobs)
			// Slurm's limit holds for who submits to it; the agent holds jobs, which Slurm looks at as it starts them.
			if limited := r.Jobs[3]; limited.Start < 9000 {
				t.Errorf("job 4, of two hours, started at %g s, want it after 9000 s, when the limit of an hour ends", limited.Start)
			}
		})
	}
}

func checkEvents(t *testing.T, c run.Config, dir trace.Dir, r trace.Run, jobs []trace.FinishedJob) {
	t.Helper()
	near := func(what string, got, from, until float64) {
		if got < from || got > until {
			t.Errorf("%s at %g s, want %g to %g", what, got, from, until)
		}
	}
	// Backfill's interval and Slurm's own look every minute, and the agent's of 10 s.
	const soon = 70
	killed, drained, wide, short := jobs[0], jobs[1], jobs[2], jobs[4]
	if killed.State != "NODE_FAIL" || !killed.Victim || r.Victims == nil || r.Victims.Count != 1 || r.Victims.First[0].ID != 1 || r.FailedJobs != nil {
		t.Errorf("job 1 %s, victims %+v, failed %+v", killed.State, r.Victims, r.FailedJobs)
	}
	near("job 1 ended", killed.Finish, 599, 602)
	if drained.State != "COMPLETED" || !slices.Equal(drained.Allocated, []int{1, 2, 3}) {
		t.Errorf("job 2 %s on %v, want it on the three nodes that are left, whatever becomes of n2", drained.State, drained.Allocated)
	}
	near("job 2 ended", drained.Finish, 3000, 3000+soon)
	near("job 3, of all nodes, started", wide.Start, 6000, 6000+soon)
	near("job 5 started", short.Start, 7019, 7020+soon)
	var told []string
	for _, h := range r.Happened {
		told = append(told, h.String())
		near(h.String(), h.Time, float64(h.At), float64(h.At)+1)
	}
	if len(told) != len(c.Events) || told[0] != "down n1 (power supply)" {
		t.Errorf("happened %q", told)
	}
	// The run has its events, and another file in its place is another run.
	text, err := os.Open(dir.EventsFile())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = text.Close() }()
	if kept, err := events.Read(text, "events.csv", c.Machine); err != nil || !slices.Equal(kept, c.Events) {
		t.Errorf("events.csv has %v, %v", kept, err)
	}
	if found, err := c.Find(); err != nil || found.State != run.StateComplete {
		t.Errorf("found %+v, %v", found, err)
	}
	c.Events = c.Events[:4]
	if _, err := c.Find(); err == nil || !strings.Contains(err.Error(), "field events.count is 5, want 4") {
		t.Errorf("other events: %v", err)
	}
}
