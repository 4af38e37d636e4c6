package formulation

import (
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Model is a program and the meaning of its variables.
type Model struct {
	Program  program.Program
	snapshot auction.Snapshot
	ranges   []NodeRange
	takes    []take
}

// take says that each unit of a variable takes cores of a node for a job.
type take struct{ variable, job, node, cores int }

// Allocation is where a job starts.
type Allocation struct {
	// Job is the index of the job in Snapshot.Jobs.
	Job int
	// Nodes are indices into Snapshot.Nodes, ascending; Cores are taken from
	// each of them.
	Nodes, Cores []int
	// GPUs are taken from each node.
	GPUs int
}

// String shows the allocation as "job 0 nodes 0-3 cores 4(x3),2 gpus 1".
func (a Allocation) String() string {
	return fmt.Sprintf("job %d nodes %s cores %s gpus %d", a.Job, auction.Ranges(a.Nodes), auction.RunLength(a.Cores), a.GPUs)
}

// NodeRange is N_min,j and N_max,j of IPSCHED.
type NodeRange struct{ Min, Max int }

// NodeRanges returns the node ranges of the window. A job that asks for nodes,
// or for cores in total and per node, gets exactly that many; others any number:
// "If these limits are not defined, N_min,j is set to 1, and N_max,j is set to a
// large value" (IPSCHED section III).
func NodeRanges(s auction.Snapshot) []NodeRange {
	ranges := make([]NodeRange, len(s.Jobs))
	for j, job := range s.Jobs {
		switch {
		case job.Nodes > 0:
			ranges[j] = NodeRange{job.Nodes, job.Nodes}
		case job.CoresPerNode > 0:
			nodes := job.Cores / job.CoresPerNode
			ranges[j] = NodeRange{nodes, nodes}
		default:
			ranges[j] = NodeRange{1, len(s.Nodes)}
		}
	}
	return ranges
}

// cores is r_j: the number of cores that a job takes in total.
func cores(job auction.Job) int {
	if job.Cores == 0 {
		return job.Nodes * job.CoresPerNode
	}
	return job.Cores
}

// Decode returns the jobs that start, in window order. Values are rounded to
// whole numbers first. It fails if there are not as many as variables, or if
// what they say oversells a node or does not give a job what it asked for.
func (m Model) Decode(values []float64) ([]Allocation, error) {
	if len(values) != len(m.Program.Variables) {
		return nil, fmt.Errorf("decode solution: %d values for %d variables", len(values), len(m.Program.Variables))
	}
	perJob := make([]map[int]int, len(m.snapshot.Jobs))
	for _, t := range m.takes {
		if n := int(math.Round(values[t.variable])) * t.cores; n != 0 {
			if perJob[t.job] == nil {
				perJob[t.job] = make(map[int]int)
			}
			perJob[t.job][t.node] += n
		}
	}
	var all []Allocation
	for j, on := range perJob {
		if len(on) == 0 {
			continue
		}
		a := Allocation{Job: j, GPUs: m.snapshot.Jobs[j].GPUs}
		for n := range on {
			a.Nodes = append(a.Nodes, n)
		}
		slices.Sort(a.Nodes)
		for _, n := range a.Nodes {
			a.Cores = append(a.Cores, on[n])
		}
		all = append(all, a)
	}
	if err := verify(m.snapshot, m.ranges, all); err != nil {
		return nil, fmt.Errorf("decode solution: %w", err)
	}
	return all, nil
}

// verify checks allocations of different jobs against the requests and what is
// free.
func verify(s auction.Snapshot, ranges []NodeRange, all []Allocation) error {
	nodes := slices.Clone(s.Nodes)
	for _, a := range all {
		job, total := s.Jobs[a.Job], 0
		for i, n := range a.Nodes {
			c := a.Cores[i]
			if c < 1 || job.CoresPerNode > 0 && c != job.CoresPerNode {
				return fmt.Errorf("job %d gets %d cores on node %d", job.ID, c, n)
			}
			total += c
			nodes[n].FreeCores -= c
			nodes[n].FreeGPUs -= a.GPUs
			if nodes[n].FreeCores < 0 || nodes[n].FreeGPUs < 0 {
				return fmt.Errorf("node %d is oversold by job %d", n, job.ID)
			}
		}
		if want := cores(job); total != want {
			return fmt.Errorf("job %d gets %d cores of %d", job.ID, total, want)
		}
		if r := ranges[a.Job]; len(a.Nodes) < r.Min || len(a.Nodes) > r.Max {
			return fmt.Errorf("job %d gets %d nodes, want %d to %d", job.ID, len(a.Nodes), r.Min, r.Max)
		}
	}
	return nil
}
