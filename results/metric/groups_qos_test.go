package metric

import (
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Jobs are divided by the QOS that Slurm accounts, or else that of their row, and not at all where none is known.
func TestGroupsByQOS(t *testing.T) {
	m := workloads.Machine{Name: "m", Nodes: 2, Cores: 4}
	count := func(jobs ...trace.FinishedJob) map[string]int {
		found := map[string]int{}
		for _, g := range groups(m, jobs) {
			if g.By == "qos" {
				found[g.Name] = g.Jobs
			}
		}
		return found
	}
	plain := trace.FinishedJob{Job: workloads.Job{Cores: 1}}
	asked, accounted := plain, plain
	asked.QOS, accounted.SlurmQOS = "debug", "normal"
	if got := count(plain, plain); len(got) != 0 {
		t.Errorf("got %v without QOS", got)
	}
	if got := count(plain, asked, accounted, accounted); len(got) != 3 || got["default"] != 1 || got["debug"] != 1 || got["normal"] != 2 {
		t.Errorf("got %v", got)
	}
}
