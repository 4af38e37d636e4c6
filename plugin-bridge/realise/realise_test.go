package realise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/formulation"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// machine has nodes of the given cores, of which the given numbers are free.
func machine(cores, gpus int, free ...int) []nodeset.Node {
	var nodes []nodeset.Node
	for i, f := range free {
		nodes = append(nodes, nodeset.Node{Name: fmt.Sprintf("n%d", i+1), Cores: cores, FreeCores: f, GPUs: gpus, FreeGPUs: gpus})
	}
	return nodes
}

func wish(job int, nodes, cores []int) Wish {
	return Wish{Allocation: formulation.Allocation{Job: job, Nodes: nodes, Cores: cores}, Class: auction.ClassFree}
}

func movable(w Wish) Wish {
	w.Movable = true
	return w
}

// describe writes a result as the tests below give it.
func describe(r Result) string {
	var parts []string
	for _, b := range r.Ordered {
		parts = append(parts, fmt.Sprintf("job %d %v nodes %s cores %s", b.Job, b.Class, auction.Ranges(b.Nodes), auction.RunLength(b.Cores)))
	}
	for _, d := range r.Deferred {
		parts = append(parts, fmt.Sprintf("job %d deferred", d.Bid.Job))
	}
	return strings.Join(parts, "; ")
}

func TestRealise(t *testing.T) {
	block := []auction.Job{{Priority: 1, Contiguous: true}, {Priority: 0}}
	two := []auction.Job{{Priority: 1}, {Priority: 0}}
	tests := []struct {
		name       string
		nodes      []nodeset.Node
		jobs       []auction.Job
		wishes     []Wish
		want       string
		rearranged int
	}{
		{
			"equal cores are asked for as tasks per node",
			machine(8, 0, 8, 5), two, []Wish{wish(0, []int{0, 1}, []int{4, 4})},
			"job 0 F nodes 0-1 cores 4(x2)", 0,
		},
		{
			// Place fills idle nodes from the first one on.
			"the fullest nodes first is what Slurm does",
			machine(8, 0, 8, 8), two, []Wish{wish(0, []int{0, 1}, []int{8, 3})},
			"job 0 F nodes 0-1 cores 8,3", 0,
		},
		{
			// SLURM.md section 3: "With m=1 it is greedy packing, remainder on
			// the highest-named node". No request gives 3,8 here.
			"the rest cannot lie on the first node",
			machine(8, 0, 8, 8), two, []Wish{wish(0, []int{0, 1}, []int{3, 8})},
			"job 0 F nodes 0-1 cores 6,5", 1,
		},
		{
			// As J1 of AUCSCHED figure 4 takes the cores that the others leave. The
			// rule never gives 2,6 on idle nodes.
			"a job goes last to get what the others leave",
			machine(8, 0, 8, 8), two,
			[]Wish{wish(0, []int{0, 1}, []int{2, 6}), wish(1, []int{0, 1}, []int{6, 2})},
			"job 1 F nodes 0-1 cores 6,2; job 0 F nodes 0-1 cores 2,6", 0,
		},
		{
			"what is kept for another job is not taken",
			machine(8, 0, 8, 8), two,
			[]Wish{wish(0, []int{0, 1}, []int{2, 6}), wish(1, []int{0}, []int{5})},
			"job 1 F nodes 0 cores 5; job 0 F nodes 0-1 cores 3,5", 1,
		},
		{
			"a running job may end before the start",
			machine(8, 0, 4, 6), two, []Wish{wish(0, []int{0, 1}, []int{4, 6})},
			"job 0 R nodes 0-1 cores 4,6", 0,
		},
		{
			"a block is found elsewhere",
			machine(8, 0, 8, 8, 8, 8), block, []Wish{movable(wish(0, []int{0, 2}, []int{8, 8}))},
			"job 0 F nodes 0-1 cores 8(x2)", 1,
		},
		{
			"others make room for a block",
			machine(8, 0, 8, 8, 8, 0, 8), block,
			[]Wish{movable(wish(0, []int{0, 2, 4}, []int{8, 8, 8})), movable(wish(1, []int{1}, []int{8}))},
			"job 0 F nodes 0-2 cores 8(x3); job 1 F nodes 4 cores 8", 2,
		},
		{
			"there is no block",
			machine(8, 0, 8, 0, 8), block, []Wish{movable(wish(0, []int{0, 2}, []int{8, 8}))},
			"job 0 deferred", 0,
		},
		{
			"a bid's nodes are not exchanged",
			machine(8, 0, 8, 8, 8), block, []Wish{wish(0, []int{0, 2}, []int{8, 8})},
			"job 0 deferred", 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Realise(auction.Snapshot{Nodes: tt.nodes, Jobs: tt.jobs}, tt.wishes)
			if describe(got) != tt.want || got.Rearranged != tt.rearranged {
				t.Errorf("got %s, %d rearranged; want %s, %d", describe(got), got.Rearranged, tt.want, tt.rearranged)
			}
			for _, d := range got.Deferred {
				if d.Reason == "" {
					t.Error("a deferral without a reason")
				}
			}
		})
	}
}
