package papers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// randomSnapshot has at most 4 nodes and 4 jobs of all types; half are weighted.
func randomSnapshot(r *rand.Rand) auction.Snapshot {
	var s auction.Snapshot
	for i := range 1 + r.IntN(4) {
		n := machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: 2 + r.IntN(3), GPUs: 1 + r.IntN(2)}
		n.FreeCores, n.FreeGPUs = n.Cores, n.GPUs
		if r.IntN(3) == 0 {
			n.FreeCores, n.FreeGPUs = r.IntN(n.Cores+1), r.IntN(n.GPUs+1)
		}
		s.Nodes = append(s.Nodes, n)
	}
	jobs := 1 + r.IntN(4)
	for i := range jobs {
		j := bidding.Job{ID: i + 1, Priority: float64(jobs - i), GPUs: max(0, r.IntN(6)-3)}
		switch r.IntN(3) {
		case 0:
			j.Cores = 1 + r.IntN(5)
		case 1:
			j.Nodes = 1 + r.IntN(len(s.Nodes))
			j.Cores = j.Nodes + r.IntN(4)
		default:
			j.Nodes, j.CoresPerNode = 1+r.IntN(len(s.Nodes)), 1+r.IntN(2)
		}
		s.Jobs = append(s.Jobs, j)
	}
	if s.Weighted = r.IntN(2) == 0; s.Weighted {
		for i := range s.Jobs {
			s.Jobs[i].Priority *= float64(1 + 100*r.IntN(2))
			for before := range i {
				s.Jobs[before].Priority += s.Jobs[i].Priority
			}
		}
	}
	return s
}

// randomBids has up to 3 bids of each job on random nodes, with a random split
// of its cores that fits into the free ones.
func randomBids(r *rand.Rand, s auction.Snapshot) []bidding.Bid {
	var bids []bidding.Bid
	ranges := nodeRanges(s)
	for j, job := range s.Jobs {
		for range r.IntN(4) {
			nodes := r.Perm(len(s.Nodes))[:1+r.IntN(len(s.Nodes))]
			slices.Sort(nodes)
			var all [][]int
			splits(s, job, nodes, nil, func(c []int) { all = append(all, slices.Clone(c)) })
			if len(all) == 0 || len(nodes) < ranges[j].Min || len(nodes) > ranges[j].Max {
				continue
			}
			bids = append(bids, bidding.Bid{
				Job: j, Preference: float64(1+r.IntN(8)) / 8,
				Allocation: machine.Allocation{Nodes: nodes, Cores: all[r.IntN(len(all))], GPUs: job.GPUs},
			})
		}
	}
	return bids
}

// splits visits every way to give a job its cores on exactly these nodes.
func splits(s auction.Snapshot, job bidding.Job, nodes, cores []int, visit func(cores []int)) {
	at := len(cores)
	if at == len(nodes) {
		sum := 0
		for _, c := range cores {
			sum += c
		}
		want := job.Cores
		if want == 0 {
			want = job.Nodes * job.CoresPerNode
		}
		if sum == want {
			visit(cores)
		}
		return
	}
	node := s.Nodes[nodes[at]]
	if node.FreeGPUs < job.GPUs {
		return
	}
	for c := 1; c <= node.FreeCores; c++ {
		if job.CoresPerNode == 0 || c == job.CoresPerNode {
			splits(s, job, nodes, append(cores, c), visit)
		}
	}
}

// choice is one way to start a job and what it is worth.
type choice struct {
	nodes []int
	value float64
}

// best is the largest value of starting each job in one of its ways, or not at
// all where optional, found by trying everything; false if there is none.
func best(s auction.Snapshot, choices [][]choice, optional bool) (float64, bool) {
	top, found := math.Inf(-1), false
	var visit func(j int, left auction.Snapshot, value float64)
	visit = func(j int, left auction.Snapshot, value float64) {
		if j == len(s.Jobs) {
			top, found = math.Max(top, value), true
			return
		}
		if optional {
			visit(j+1, left, value)
		}
		for _, c := range choices[j] {
			splits(left, s.Jobs[j], c.nodes, nil, func(cores []int) {
				next := auction.Snapshot{Nodes: slices.Clone(left.Nodes)}
				for i, n := range c.nodes {
					next.Nodes[n].FreeCores -= cores[i]
					next.Nodes[n].FreeGPUs -= s.Jobs[j].GPUs
				}
				visit(j+1, next, value+c.value)
			})
		}
	}
	visit(0, s, 0)
	return top, found
}

// bestIPSCHED is the optimum as IPSCHED section III says it in words. With everyJob the limits of (5) also hold for
// jobs that are not selected.
func bestIPSCHED(s auction.Snapshot, objective Objective, ranges []nodeRange, everyJob bool) (float64, bool) {
	choices := make([][]choice, len(s.Jobs))
	for j, job := range s.Jobs {
		for set := 1; set < 1<<len(s.Nodes); set++ {
			var nodes []int
			for n := range s.Nodes {
				if set&(1<<n) != 0 {
					nodes = append(nodes, n)
				}
			}
			weight := s.Priorities()[j]
			if objective == ByPriorityCores {
				weight *= float64(max(job.Cores, job.Nodes*job.CoresPerNode))
			}
			if r := ranges[j]; r.Min <= len(nodes) && len(nodes) <= r.Max {
				choices[j] = append(choices[j], choice{nodes, weight * (1 - float64(len(nodes))/float64(2*len(s.Nodes)))})
			}
		}
	}
	return best(s, choices, !everyJob)
}

// bestAUCSCHED is the optimum of AUCSCHED section 3: at most one bid of each
// job, whose cores may be split over its nodes in any way. In the literal form only
// bids count that overlap no other bid of their job, and alpha has P_min.
func bestAUCSCHED(s auction.Snapshot, bids []bidding.Bid, literal bool) float64 {
	choices := make([][]choice, len(s.Jobs))
	priorities := s.Priorities()
	weight := 1 / float64(len(bids)+1)
	if literal {
		weight *= slices.Min(priorities)
	}
	for i, bid := range bids {
		overlaps := slices.ContainsFunc(bid.Nodes, func(n int) bool {
			for k, other := range bids {
				if k != i && other.Job == bid.Job && slices.Contains(other.Nodes, n) {
					return true
				}
			}
			return false
		})
		if !literal || !overlaps {
			choices[bid.Job] = append(choices[bid.Job], choice{bid.Nodes, priorities[bid.Job] + weight*bid.Preference})
		}
	}
	value, _ := best(s, choices, true)
	return value
}

// String shows the allocation as "job 0 nodes 0-3 cores 4(x3),2 gpus 1".
func (a chosenCores) String() string {
	return fmt.Sprintf("job %d nodes %s cores %s gpus %d", a.Job, machine.Ranges(a.Nodes), machine.RunLength(a.Cores), a.GPUs)
}

// formulateAUCSCHED2 is the program of AUCSCHED2 section 2 with the paper's
// objective.
func formulateAUCSCHED2(s auction.Snapshot, bids []bidding.Bid) model {
	return modelOf(s, bids, auction.Formulate(s, bids, auction.ObjectivePriority))
}

// exhaust solves a model by hand and decodes the solution.
func exhaust(t *testing.T, m model) (program.Solution, []chosenCores) {
	t.Helper()
	if err := m.Program.Validate(); err != nil {
		t.Fatal(err)
	}
	found, err := auctiontest.ExhaustiveProgram{}.Solve(context.Background(), m.Program)
	if err != nil {
		t.Fatal(err)
	}
	if found.Values == nil {
		return found, nil
	}
	all, err := m.decode(found.Values)
	if err != nil {
		t.Fatalf("%v\n%v", err, found)
	}
	return found, all
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(1, math.Abs(b)) }
