package papers

import (
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// model is a program and the meaning of its variables, by which decode reads a
// solution.
type model struct {
	Program program.Program
	// jobs are the jobs of the variables, as indices into Snapshot.Jobs.
	jobs     []int
	snapshot auction.Snapshot
	ranges   []nodeRange
	takes    []take
	// movable says that the objective depends on the number of a job's nodes, and
	// not on which nodes they are.
	movable bool
	// stages are objectives that the program is solved by, one after the other, where its own has numbers that no solver's
	// tolerances hold. They have the same optima, and all but the last have whole values. nil is for one objective.
	stages [][]float64
	// startsNone says that the program starts no job, since none of them could start alone.
	startsNone bool
}

// take says that each unit of a variable takes cores of a node for a job.
type take struct{ variable, job, node, cores int }

// chosenCores is where a program starts a job.
type chosenCores struct {
	// Job is the index of the job in Snapshot.Jobs.
	Job int
	machine.Allocation
	// Class is the class of the bid by which Slurm is asked for the allocation. If Slurm gives the cores only as long
	// as no running job ends, the bid is one of class R.
	Class bidding.Class
	// Value is what the allocation adds to the objective of the program.
	Value float64
	// Movable allocations are worth the same to the program on any other nodes, as
	// long as their number is the same.
	Movable bool
}

// nodeRange is the number of nodes that a job may have, N_min,j to N_max,j of IPSCHED.
type nodeRange struct{ Min, Max int }

// nodeRanges returns the node ranges of the window's jobs. A job with -N 2-4 has that range. A job that asks for one
// number of nodes, or for cores in total and per node, has exactly so many. Others have any number: "If these limits
// are not defined, N_min,j is set to 1, and N_max,j is set to a large value" (IPSCHED section III).
func nodeRanges(s auction.Snapshot) []nodeRange {
	ranges := make([]nodeRange, len(s.Jobs))
	for j, job := range s.Jobs {
		switch {
		case job.Nodes > 0:
			ranges[j] = nodeRange{job.Nodes, max(job.Nodes, job.MaxNodes)}
		case job.CoresPerNode > 0:
			nodes := job.Cores / job.CoresPerNode
			ranges[j] = nodeRange{nodes, nodes}
		default:
			ranges[j] = nodeRange{1, len(s.Nodes)}
		}
	}
	return ranges
}

// decode returns the allocations of the jobs that start, in window order. It rounds the values of a solution to whole
// numbers first. It fails if there is not one value for each variable, or if the values oversell a node or do not
// give a job what it asked for.
func (m model) decode(values []float64) ([]chosenCores, error) {
	if len(values) != len(m.Program.Variables) {
		return nil, fmt.Errorf("decode solution: %d values for %d variables", len(values), len(m.Program.Variables))
	}
	worth := make([]float64, len(m.snapshot.Jobs))
	for i, v := range m.Program.Variables {
		if v.Integer {
			worth[m.jobs[i]] += v.Objective * math.Round(values[i])
		} else {
			worth[m.jobs[i]] += v.Objective * values[i]
		}
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
	var all []chosenCores
	for j, on := range perJob {
		if len(on) == 0 {
			continue
		}
		a := chosenCores{Job: j, Class: bidding.ClassFree, Value: worth[j], Movable: m.movable}
		a.GPUs = m.snapshot.Jobs[j].GPUs
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

// verify checks that the allocations give the jobs what they ask for, and that the
// nodes have so much free.
func verify(s auction.Snapshot, ranges []nodeRange, all []chosenCores) error {
	nodes := slices.Clone(s.Nodes)
	for _, a := range all {
		job := s.Jobs[a.Job]
		for i, n := range a.Nodes {
			if c := a.Cores[i]; c < 1 || job.CoresPerNode > 0 && c != job.CoresPerNode {
				return fmt.Errorf("job %d gets %d cores on node %d", job.ID, c, n)
			}
			if nodes[n].FreeCores < a.Cores[i] || nodes[n].FreeGPUs < a.GPUs {
				return fmt.Errorf("node %d is oversold by job %d", n, job.ID)
			}
		}
		machine.Take(nodes, a.Allocation)
		if got, want := a.TotalCores(), job.Tasks(); got != want {
			return fmt.Errorf("job %d gets %d cores of %d", job.ID, got, want)
		}
		if r := ranges[a.Job]; len(a.Nodes) < r.Min || len(a.Nodes) > r.Max {
			return fmt.Errorf("job %d gets %d nodes, want %d to %d", job.ID, len(a.Nodes), r.Min, r.Max)
		}
	}
	return nil
}
