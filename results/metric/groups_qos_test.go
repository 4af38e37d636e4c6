package metric

import (
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// Jobs are divided by the QOS that Slurm accounts, or else by the QOS of their row, and not at all where none is
// known.
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

// Jobs are divided by the type of GPUs that Slurm accounts, or else by the type of their nodes; on a machine without
// types there are no such groups.
func TestGroupsByGPUType(t *testing.T) {
	l := layout.Layout{
		Groups: []layout.Group{
			{Name: "a", Count: 1, Sockets: 1, Cores: 4, Threads: 1, GPUs: []layout.GPU{{Type: "a100", Count: 2}}},
			{Name: "b", Count: 1, Sockets: 1, Cores: 4, Threads: 1, GPUs: []layout.GPU{{Type: "a100", Count: 2}, {Type: "h100", Count: 2}}},
			{Name: "c", Count: 1, Sockets: 1, Cores: 4, Threads: 1},
		},
		Partitions: []layout.Partition{{Name: "main", Groups: []string{"a", "b", "c"}, Default: true}},
	}
	m, err := workloads.MachineOf("m", l, workloads.Tree{})
	if err != nil {
		t.Fatal(err)
	}
	job := func(gpus int, types []layout.GPU, nodes ...int) trace.FinishedJob {
		return trace.FinishedJob{Job: workloads.Job{Cores: 2, GPUsMax: gpus}, Allocated: nodes, AllocCores: 2, AllocGPUs: gpus, AllocTypes: types}
	}
	named := job(1, nil, 1)
	named.GPUType = "h100"
	waits := job(1, nil)
	waits.AllocGPUs = 0
	for _, c := range []struct {
		job  trace.FinishedJob
		want string
	}{
		{job(0, nil, 2), NoGPU},
		{job(1, nil, 0), "a100"},
		{job(1, nil, 1), "a100+h100"},
		{named, "h100"},
		{job(1, []layout.GPU{{Type: "h100", Count: 1}}, 1), "h100"},
		{job(4, []layout.GPU{{Type: "a100", Count: 2}, {Type: "h100", Count: 2}}, 1), "a100+h100"},
		{waits, "gpu"},
	} {
		of, _ := GroupOf("gpu-type", m)
		if _, got := of(c.job); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.job, got, c.want)
		}
	}
	count := func(m workloads.Machine) (n int) {
		for _, g := range groups(m, []trace.FinishedJob{job(1, nil, 0), job(0, nil, 2)}) {
			if g.By == "gpu-type" {
				n++
			}
		}
		return n
	}
	if got := count(m); got != 2 {
		t.Errorf("got %d groups, want a100 and no GPU", got)
	}
	if got := count(workloads.Machine{Name: "equal", Nodes: 3, Cores: 4, GPUs: 2}); got != 0 {
		t.Errorf("got %d groups on a machine without types", got)
	}
}
