package cli

import (
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/workloads"
)

// Under a real clock a run of jobs of an hour takes an hour: three runs on two cores
// take two.
func TestEstimateOfSeveral(t *testing.T) {
	c := lab.Config{
		Machine: workloads.Machine{Nodes: 4, Cores: 8}, Clock: clock.Settings{Kind: clock.KindReal},
		Jobs: []workloads.Job{{ID: 1, Cores: 8, Runtime: 3600, Limit: 3600}, {ID: 2, Cores: 8, Runtime: 3600, Limit: 3600}},
	}
	for parallel, want := range map[int]string{
		1: "about 3 h of real time: 3 runs, 6 jobs, clusters at a time: 1",
		2: "about 2 h of real time: 3 runs, 6 jobs, clusters at a time: 2",
		3: "about 1 h of real time: 3 runs, 6 jobs, clusters at a time: 3",
	} {
		if got := estimate([]lab.Config{c, c, c}, parallel); got != want {
			t.Errorf("%d at a time: got %q, want %q", parallel, got, want)
		}
	}
	if got, want := estimate([]lab.Config{c}, 1), "about 1 h of real time: 2 jobs, about 1 h of virtual time"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
