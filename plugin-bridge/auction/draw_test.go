package auction_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// between draws (almost) evenly, bit by bit; rapid.IntRange prefers small
// numbers so much that most snapshots would have a node or two and no job.
func between(low, high int) *rapid.Generator[int] {
	if low == high {
		return rapid.Just(low)
	}
	return rapid.Custom(func(t *rapid.T) int {
		bits := 0
		for span := 2 * (high - low); span > 0; span /= 2 {
			bits *= 2
			if rapid.Bool().Draw(t, "bit") {
				bits++
			}
		}
		return low + bits%(high-low+1)
	})
}

// drawSnapshot draws a machine of up to 16 nodes in any state, of one kind of
// node or of two, and a window of up to maxJobs jobs of all types.
func drawSnapshot(t *rapid.T, maxJobs int) auction.Snapshot {
	var s auction.Snapshot
	cores := rapid.SampledFrom([]int{4, 8}).Draw(t, "coresPerNode")
	mixed := rapid.Bool().Draw(t, "mixed")
	for i := range between(1, 16).Draw(t, "nodeCount") {
		n := nodeset.Node{Name: fmt.Sprintf("n%d", i+1), Cores: cores, GPUs: 2}
		if mixed && i%3 == 0 {
			n.Cores /= 2
		}
		switch between(0, 3).Draw(t, "state") {
		case 0: // full
		case 1: // shared
			n.FreeCores = between(1, n.Cores).Draw(t, "free")
			n.FreeGPUs = between(0, 2).Draw(t, "freeGPUs")
		default:
			n.FreeCores, n.FreeGPUs = n.Cores, n.GPUs
		}
		n.Memory = 16
		n.FreeMemory = between(4, 16).Draw(t, "freeMemory")
		n.Partitions = []string{"main", "even"}[:1+i%2]
		n.Features = []string{"fast", "big"}[:i%3]
		s.Nodes = append(s.Nodes, n)
	}
	if rapid.Bool().Draw(t, "tree") {
		connect(s.Nodes, between(1, 6).Draw(t, "leaf"), between(2, 3).Draw(t, "fanout"))
	}
	jobs := between(0, maxJobs).Draw(t, "jobCount")
	s.Weighted = rapid.Bool().Draw(t, "weighted")
	for i := range jobs {
		j := auction.Job{ID: 100 + i, Priority: float64(between(0, 1).Draw(t, "tie") + 2*(jobs-i)), Contiguous: rapid.Bool().Draw(t, "contiguous")}
		switch between(1, 3).Draw(t, "type") {
		case 1:
			j.Cores = between(1, 40).Draw(t, "cores")
		case 2:
			j.Nodes = between(1, 8).Draw(t, "nodes")
			j.Cores = between(j.Nodes, j.Nodes*cores).Draw(t, "cores")
			j.GPUs = between(0, 2).Draw(t, "gpus")
		case 3:
			j.Nodes = between(1, 8).Draw(t, "nodes")
			j.CoresPerNode = between(1, cores).Draw(t, "coresPerNode")
			j.GPUs = between(0, 2).Draw(t, "gpus")
		}
		if j.GPUs > 0 && rapid.Bool().Draw(t, "range") {
			j.MaxGPUs = between(j.GPUs, 3).Draw(t, "maxGPUs")
		}
		if rapid.Bool().Draw(t, "alternatives") {
			a := auction.Alternative{Cores: between(1, 20).Draw(t, "altCores")}
			b := auction.Alternative{Nodes: between(1, 4).Draw(t, "altNodes"), CoresPerNode: between(1, cores).Draw(t, "altCoresPerNode"), GPUs: 1, MaxGPUs: 2}
			j.Alternatives = []auction.Alternative{a, b}[:between(1, 2).Draw(t, "altCount")]
		}
		if rapid.Bool().Draw(t, "options") {
			j.Options = drawOptions(t, len(s.Nodes))
		}
		s.Jobs = append(s.Jobs, j)
	}
	s.Licences = []auction.Licence{{Name: "l", Count: between(0, 4).Draw(t, "licences")}}
	return s
}

// connect puts the nodes below a regular tree of switches.
func connect(nodes []nodeset.Node, leaf, fanout int) {
	for size, top := leaf, false; !top; size *= fanout {
		top = size >= len(nodes)
		for i := range nodes {
			nodes[i].Switches = append(nodes[i].Switches, i/size)
		}
	}
}

// spanned is the number of switches of a level that a bid's nodes are below.
func spanned(s auction.Snapshot, b auction.Bid, level int) int {
	switches := map[int]bool{}
	for _, n := range b.Nodes {
		switches[s.Nodes[n].Switches[level]] = true
	}
	return len(switches)
}

// drawOptions draws options as they come: most often one of them, now and then
// several.
func drawOptions(t *rapid.T, nodes int) auction.JobOptions {
	var o auction.JobOptions
	for range between(1, 2).Draw(t, "optionCount") {
		switch between(0, 8).Draw(t, "option") {
		case 0:
			o.Partition = "even"
		case 1:
			o.Features = []string{"fast", "big"}[:between(1, 2).Draw(t, "features")]
		case 2:
			o.Excluded = []int{between(0, nodes-1).Draw(t, "excluded")}
		case 3:
			o.Required = []int{between(0, nodes-1).Draw(t, "required")}
		case 4:
			o.Required = []int{0, nodes - 1}
		case 5:
			o.Exclusive = true
		case 6:
			o.MemoryPerNode, o.MemoryPerCore = between(1, 8).Draw(t, "memory"), 0
		case 7:
			o.MemoryPerNode, o.MemoryPerCore = 0, between(1, 3).Draw(t, "memory")
		case 8:
			o.Switches = between(1, 3).Draw(t, "switches")
		}
	}
	o.Required = slices.DeleteFunc(o.Required, func(n int) bool { return slices.Contains(o.Excluded, n) })
	if rapid.Bool().Draw(t, "licensed") {
		o.Licences = []auction.Licence{{Name: "l", Count: between(1, 3).Draw(t, "licences")}}
	}
	return o
}

// checkOptions checks that a bid respects the options of its job.
func checkOptions(t *rapid.T, s auction.Snapshot, b auction.Bid) {
	o := s.Jobs[b.Job].Options
	for i, n := range b.Nodes {
		node := s.Nodes[n]
		switch {
		case slices.Contains(o.Excluded, n):
			t.Fatalf("%v uses the excluded node %d", b, n)
		case o.Partition != "" && !slices.Contains(node.Partitions, o.Partition):
			t.Fatalf("%v uses node %d outside partition %s", b, n, o.Partition)
		case o.Exclusive && (b.Cores[i] != node.Cores || !node.Idle() || node.FreeGPUs != node.GPUs):
			t.Fatalf("%v does not have node %d %+v to itself", b, n, node)
		case o.MemoryPerNode+o.MemoryPerCore*b.Cores[i] > node.FreeMemory:
			t.Fatalf("%v needs more memory than node %d %+v has", b, n, node)
		}
		for _, f := range o.Features {
			if !slices.Contains(node.Features, f) {
				t.Fatalf("%v uses node %d without feature %s", b, n, f)
			}
		}
	}
	if o.Switches > 0 && len(s.Nodes[0].Switches) > 0 && spanned(s, b, 0) > o.Switches {
		t.Fatalf("%v is below more than %d leaf switches", b, o.Switches)
	}
	for _, n := range o.Required {
		if !slices.Contains(b.Nodes, n) {
			t.Fatalf("%v lacks the required node %d", b, n)
		}
	}
}

func freeOf(nodes []nodeset.Node, b auction.Bid) (free, total []int) {
	for _, n := range b.Nodes {
		free = append(free, nodes[n].FreeCores)
		total = append(total, nodes[n].Cores)
	}
	return free, total
}

// checkBid checks what must hold for every bid, whatever its class.
func checkBid(t *rapid.T, s auction.Snapshot, b auction.Bid) {
	j := s.Jobs[b.Job].With(b.Alternative)
	if len(b.Nodes) == 0 || len(b.Cores) != len(b.Nodes) {
		t.Fatalf("job %d: %d nodes with %d core counts", j.ID, len(b.Nodes), len(b.Cores))
	}
	block := true
	sum := 0
	for i, n := range b.Nodes {
		sum += b.Cores[i]
		if i > 0 && n <= b.Nodes[i-1] {
			t.Fatalf("job %d: nodes %v are not ascending", j.ID, b.Nodes)
		}
		block = block && (i == 0 || n == b.Nodes[i-1]+1)
		if b.Cores[i] < 1 || b.Cores[i] > s.Nodes[n].FreeCores || b.GPUs > s.Nodes[n].FreeGPUs {
			t.Fatalf("job %d: %v does not fit node %d %+v", j.ID, b, n, s.Nodes[n])
		}
		if j.CoresPerNode > 0 && b.Cores[i] != j.CoresPerNode && !b.Exclusive || b.Cores[i] < j.CoresPerNode {
			t.Fatalf("job %d: %v gives %d cores on a node", j.ID, b, b.Cores[i])
		}
	}
	want := max(j.Cores, j.Nodes*j.CoresPerNode)
	if b.Request().Tasks != want || sum < want || sum > want && !b.Exclusive || b.Exclusive != j.Options.Exclusive {
		t.Fatalf("job %d: %v takes %d cores of %d", j.ID, b, sum, want)
	}
	checkOptions(t, s, b)
	if j.Nodes > 0 && len(b.Nodes) != j.Nodes {
		t.Fatalf("job %d: %v takes %d nodes of %d", j.ID, b, len(b.Nodes), j.Nodes)
	}
	if b.GPUs < j.GPUs || b.GPUs > max(j.GPUs, j.MaxGPUs) {
		t.Fatalf("job %d: %v takes other GPUs than %d to %d", j.ID, b, j.GPUs, j.MaxGPUs)
	}
	if j.Contiguous && !block {
		t.Fatalf("job %d wants one block and bids %v", j.ID, b)
	}
	if b.Preference <= 0 || b.Preference > 1 {
		t.Fatalf("job %d: preference of %v is not in (0,1]", j.ID, b)
	}
	switch b.Class {
	case auction.ClassA, auction.ClassB:
		if !block {
			t.Fatalf("job %d: %v is no block", j.ID, b)
		}
	case auction.ClassC:
		if block {
			t.Fatalf("job %d: %v is a block", j.ID, b)
		}
	case auction.ClassR:
		if j.Type() != auction.Type1 {
			t.Fatalf("rigid job %d bids %v", j.ID, b)
		}
	default:
		t.Fatalf("job %d: class of %v", j.ID, b)
	}
}
