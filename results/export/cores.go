package export

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// byCores is the run with cores in the place of nodes. Core c of node n, both from 0, is "node" n*cores+c of a
// machine that has as many, where all nodes have so many cores. Jobs are allocated and ask for these.
//
// Slurm's accounting has the cores of a job over all its nodes, but not how many on each node, nor their numbers.
// They are made up: as evenly as can be, and the lowest that no other job has. So a job is on its own nodes and the
// sum of its cores is true; which cores they are is not.
func byCores(run trace.Data) trace.Data {
	m := run.Run.Machine
	taken := newCores(m)
	allocated := map[int][]int{}
	for _, j := range byStart(run.Jobs) {
		allocated[j.ID] = taken.place(j)
	}
	jobs := slices.Clone(run.Jobs)
	for i, j := range jobs {
		jobs[i].Allocated, jobs[i].Nodes = allocated[j.ID], j.Cores
	}
	run.Jobs = jobs
	run.Run.Machine = workloads.Machine{Name: m.Name, Nodes: len(taken.until), Cores: 1, GPUs: m.GPUs}
	return run
}

// cores knows until when each core of the machine has a job.
type cores struct {
	// starts are the first cores of each node, and the end of the last one.
	starts []int
	until  []float64
}

func newCores(m workloads.Machine) cores {
	c := cores{starts: []int{0}}
	for _, size := range m.Sizes() {
		c.starts = append(c.starts, c.starts[len(c.starts)-1]+size.Cores)
	}
	c.until = make([]float64, c.starts[m.Nodes])
	return c
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
		for core := c.starts[node]; core < c.starts[node+1]; core++ {
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
