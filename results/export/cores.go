package export

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// byCores is the run with cores in the place of nodes: core c of node n, both from 0, is
// "node" n*cores+c of a machine that has as many, and jobs are allocated and ask for these.
//
// Slurm's accounting has the cores of a job over all its nodes, not those of each node and
// not their numbers. They are made up: as evenly as can be, and the lowest that no other
// job has. So a job is on its own nodes and the sum of its cores is true; which cores they
// are is not.
func byCores(run trace.Data) trace.Data {
	m := run.Run.Machine
	taken := cores{perNode: m.Cores, until: make([]float64, m.Nodes*m.Cores)}
	allocated := map[int][]int{}
	for _, j := range byStart(run.Jobs) {
		allocated[j.ID] = taken.place(j)
	}
	jobs := slices.Clone(run.Jobs)
	for i, j := range jobs {
		jobs[i].Allocated, jobs[i].Nodes = allocated[j.ID], j.Cores
	}
	run.Jobs = jobs
	run.Run.Machine = workloads.Machine{Name: m.Name, Nodes: m.Nodes * m.Cores, Cores: 1, GPUs: m.GPUs}
	return run
}

// cores knows until when each core of the machine has a job.
type cores struct {
	perNode int
	until   []float64
}

// place gives a job its cores, ascending. Jobs must come in the order of their starts.
func (c *cores) place(j trace.FinishedJob) []int {
	var free, busy, got []int
	// Each node gives its share of free cores first, then whatever nodes have left.
	for i, node := range j.Allocated {
		share := j.AllocCores / len(j.Allocated)
		if i < j.AllocCores%len(j.Allocated) {
			share++
		}
		for core := node * c.perNode; core < (node+1)*c.perNode; core++ {
			switch {
			case c.until[core] > j.Start:
				busy = append(busy, core)
			case share > 0:
				got = append(got, core)
				share--
			default:
				free = append(free, core)
			}
		}
	}
	// Starts and ends are rounded to seconds, so that a job may seem to start before
	// another one has ended: then it gets the cores that are free first.
	slices.SortStableFunc(busy, func(a, b int) int { return cmp.Compare(c.until[a], c.until[b]) })
	rest := append(free, busy...)
	if missing := max(1, j.AllocCores) - len(got); missing > 0 {
		got = append(got, rest[:min(missing, len(rest))]...)
	}
	slices.Sort(got)
	for _, core := range got {
		c.until[core] = max(c.until[core], j.Finish)
	}
	return got
}
