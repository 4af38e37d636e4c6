package trace_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// What is suggested can be done: "slurmlab explain" has the cycles of an agent if they were
// recorded; under Slurm's own scheduler a model of backfill for equal nodes, and the schedule for groups of nodes.
func TestExplainable(t *testing.T) {
	unequal, err := workloads.MachineOf("campus", layout.Layout{
		Groups:     []layout.Group{{Name: "a", Count: 1, Sockets: 1, Cores: 4, Threads: 1}, {Name: "b", Count: 1, Sockets: 1, Cores: 8, Threads: 1}},
		Partitions: []layout.Partition{{Name: "all", Groups: []string{"a", "b"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1}},
	}, workloads.Tree{})
	if err != nil {
		t.Fatal(err)
	}
	equal := workloads.Machine{Name: "m", Nodes: 2, Cores: 4}
	for _, c := range []struct {
		machine         workloads.Machine
		agent, recorded bool
		terms           workloads.Terms
		want            bool
	}{
		{equal, false, false, workloads.Terms{}, true}, {equal, true, true, workloads.Terms{}, true},
		{equal, true, false, workloads.Terms{}, false}, {unequal, false, false, workloads.Terms{BeginAfter: 60}, true}, {unequal, true, false, workloads.Terms{}, false},
		{equal, false, false, workloads.Terms{Account: "astro"}, true}, {equal, false, false, workloads.Terms{BeginAfter: 60}, false},
		{equal, true, true, workloads.Terms{BeginAfter: 60}, true},
	} {
		d := trace.Data{Recorded: c.recorded, Jobs: []trace.FinishedJob{{Job: workloads.Job{Terms: c.terms}}}}
		d.Run.Machine = c.machine
		if c.agent {
			d.Run.Parameters = []byte(`{"window": 100}`)
		}
		if got := d.Explainable(); got != c.want || d.Run.HasAgent() != c.agent {
			t.Errorf("%s, agent %t, recorded %t: got %t, want %t", c.machine.Name, c.agent, c.recorded, got, c.want)
		}
	}
}
