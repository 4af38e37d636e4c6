package papers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// partly has nodes of the given cores, of which the given numbers are free.
func partly(cores, gpus int, free ...int) []machine.Node {
	var nodes []machine.Node
	for i, f := range free {
		nodes = append(nodes, machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: cores, FreeCores: f, GPUs: gpus, FreeGPUs: gpus})
	}
	return nodes
}

func chosen(job int, nodes, cores []int) chosenCores {
	return chosenCores{Job: job, Allocation: machine.Allocation{Nodes: nodes, Cores: cores}, Class: bidding.ClassFree}
}

func movable(a chosenCores) chosenCores {
	a.Movable = true
	return a
}

// describe writes a result as the tests below give it.
func describe(r realised) string {
	var parts []string
	for _, b := range r.ordered {
		parts = append(parts, fmt.Sprintf("job %d %v nodes %s cores %s", b.Job, b.Class, machine.Ranges(b.Nodes), machine.RunLength(b.Cores)))
	}
	for _, d := range r.deferred {
		parts = append(parts, fmt.Sprintf("job %d deferred", d.Bid.Job))
	}
	return strings.Join(parts, "; ")
}

func TestRealise(t *testing.T) {
	block := []bidding.Job{{Priority: 1, Contiguous: true}, {Priority: 0}}
	two := []bidding.Job{{Priority: 1}, {Priority: 0}}
	// Slurm's rule fills the first node, so that no request gives its 4 cores to two
	// jobs: 2 of them to the one and 2 to the other.
	narrow := append(partly(4, 0, 4), partly(12, 0, 12)...)
	tests := []struct {
		name        string
		nodes       []machine.Node
		jobs        []bidding.Job
		allocations []chosenCores
		want        string
		rearranged  int
	}{
		{
			"equal cores are asked for as tasks per node",
			partly(8, 0, 8, 5), two, []chosenCores{chosen(0, []int{0, 1}, []int{4, 4})},
			"job 0 F nodes 0-1 cores 4(x2)", 0,
		},
		{
			// Place fills idle nodes from the first one on.
			"the fullest nodes first is what Slurm does",
			partly(8, 0, 8, 8), two, []chosenCores{chosen(0, []int{0, 1}, []int{8, 3})},
			"job 0 F nodes 0-1 cores 8,3", 0,
		},
		{
			// Without a minimum of cores per node Slurm's placement rule fills the
			// nodes in their order and leaves the rest for the last one. No request
			// gives 3,8 here.
			"the rest cannot lie on the first node",
			partly(8, 0, 8, 8), two, []chosenCores{chosen(0, []int{0, 1}, []int{3, 8})},
			"job 0 F nodes 0-1 cores 6,5", 1,
		},
		{
			// As J1 of AUCSCHED figure 4 takes the cores that the others leave. The
			// rule never gives 2,6 on idle nodes.
			"a job goes last to get what the others leave",
			partly(8, 0, 8, 8), two,
			[]chosenCores{chosen(0, []int{0, 1}, []int{2, 6}), chosen(1, []int{0, 1}, []int{6, 2})},
			"job 1 F nodes 0-1 cores 6,2; job 0 F nodes 0-1 cores 2,6", 0,
		},
		{
			"what is kept for another job is not taken",
			partly(8, 0, 8, 8), two,
			[]chosenCores{chosen(0, []int{0, 1}, []int{2, 6}), chosen(1, []int{0}, []int{5})},
			"job 1 F nodes 0 cores 5; job 0 F nodes 0-1 cores 3,5", 1,
		},
		{
			"a running job may end before the start",
			partly(8, 0, 4, 6), two, []chosenCores{chosen(0, []int{0, 1}, []int{4, 6})},
			"job 0 R nodes 0-1 cores 4,6", 0,
		},
		{
			"a block is found elsewhere",
			partly(8, 0, 8, 8, 8, 8), block, []chosenCores{movable(chosen(0, []int{0, 2}, []int{8, 8}))},
			"job 0 F nodes 0-1 cores 8(x2)", 1,
		},
		{
			"others make room for a block",
			partly(8, 0, 8, 8, 8, 0, 8), block,
			[]chosenCores{movable(chosen(0, []int{0, 2, 4}, []int{8, 8, 8})), movable(chosen(1, []int{1}, []int{8}))},
			"job 0 F nodes 0-2 cores 8(x3); job 1 F nodes 4 cores 8", 2,
		},
		{
			"there is no block",
			partly(8, 0, 8, 0, 8), block, []chosenCores{movable(chosen(0, []int{0, 2}, []int{8, 8}))},
			"job 0 deferred", 0,
		},
		{
			// Both are stuck: each request for the first takes 3 or 4 cores of node 0,
			// of which 2 are kept for the second, and the other way round.
			"of two jobs in each other's way the more valuable one starts",
			narrow, two, []chosenCores{chosen(0, []int{0, 1}, []int{2, 4}), chosen(1, []int{0, 1}, []int{2, 7})},
			"job 0 F nodes 0-1 cores 3(x2); job 1 deferred", 1,
		},
		{
			// Job 0 has no block, and waiting for job 1 would not help it.
			"a job without nodes gives up what it keeps from others",
			slices.Concat(narrow[:1], partly(8, 0, 0), narrow[1:]), block,
			[]chosenCores{chosen(0, []int{0, 2}, []int{2, 4}), chosen(1, []int{0, 2}, []int{2, 7})},
			"job 1 F nodes 0,2 cores 4,5; job 0 deferred", 1,
		},
		{
			"a bid's nodes are not exchanged",
			partly(8, 0, 8, 8, 8), block, []chosenCores{chosen(0, []int{0, 2}, []int{8, 8})},
			"job 0 deferred", 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.allocations {
				// The first job is worth most, as after a program without c_j.
				tt.allocations[i].Value = float64(len(tt.jobs) - tt.allocations[i].Job)
			}
			got := realise(auction.Snapshot{Nodes: tt.nodes, Jobs: tt.jobs}, tt.allocations)
			if describe(got) != tt.want || got.rearranged != tt.rearranged {
				t.Errorf("got %s, %d rearranged; want %s, %d", describe(got), got.rearranged, tt.want, tt.rearranged)
			}
			for _, d := range got.deferred {
				if d.Reason == "" {
					t.Error("a deferral without a reason")
				}
			}
		})
	}
}
