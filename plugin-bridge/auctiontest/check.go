package auctiontest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Spanned is the number of switches of a level that a bid's nodes are below.
func Spanned(s auction.Snapshot, b bidding.Bid, level int) int {
	switches := map[int]bool{}
	for _, n := range b.Nodes {
		switches[s.Nodes[n].Switches[level]] = true
	}
	return len(switches)
}

// checkOptions checks that a bid respects the options of its job.
func checkOptions(t *rapid.T, s auction.Snapshot, b bidding.Bid) {
	o := s.Jobs[b.Job].Options
	for i, n := range b.Nodes {
		node := s.Nodes[n]
		switch {
		case slices.Contains(o.Barred, n):
			t.Fatalf("%v uses node %d, which a reservation keeps", b, n)
		case slices.Contains(o.Excluded, n):
			t.Fatalf("%v uses the excluded node %d", b, n)
		case o.Partition != "" && !slices.Contains(node.Partitions, o.Partition):
			t.Fatalf("%v uses node %d outside partition %s", b, n, o.Partition)
		case o.Exclusive && (b.Cores[i] != node.Cores || !node.Idle() || node.FreeGPUs != node.GPUs):
			t.Fatalf("%v does not have node %d %+v to itself", b, n, node)
		case o.MemoryPerNode+o.MemoryPerCore*b.Cores[i] > node.FreeMemory:
			t.Fatalf("%v needs more memory than node %d %+v has", b, n, node)
		case o.GPUType != "" && o.GPUType != node.GPUType:
			t.Fatalf("%v uses node %d with GPUs of type %q", b, n, node.GPUType)
		}
		there := 0
		for _, f := range o.Features {
			if slices.Contains(node.Features, f) {
				there++
			}
		}
		if there < len(o.Features) && (!o.OneFeature || there == 0) {
			t.Fatalf("%v uses node %d with %d of the features %s", b, n, there, o.Features)
		}
	}
	if o.MostNodes > 0 && len(b.Nodes) > o.MostNodes {
		t.Fatalf("%v has more than %d nodes", b, o.MostNodes)
	}
	if o.Switches > 0 && len(s.Nodes[0].Switches) > 0 && Spanned(s, b, 0) > o.Switches {
		t.Fatalf("%v is below more than %d leaf switches", b, o.Switches)
	}
	for _, n := range o.Required {
		if !slices.Contains(b.Nodes, n) {
			t.Fatalf("%v lacks the required node %d", b, n)
		}
	}
}

// FreeOf returns the cores that the job of a bid can use of the nodes, and could if they were idle.
func FreeOf(nodes []machine.Node, b bidding.Bid) (free, total []int) {
	for _, n := range b.Nodes {
		free = append(free, nodes[n].Usable(b.MemoryPerCore))
		total = append(total, nodes[n].Most(b.MemoryPerCore))
	}
	return free, total
}

// CheckBid checks what must hold for every bid, whatever its class.
func CheckBid(t *rapid.T, s auction.Snapshot, b bidding.Bid) {
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
	case bidding.ClassA, bidding.ClassB:
		if !block {
			t.Fatalf("job %d: %v is no block", j.ID, b)
		}
	case bidding.ClassC:
		if block {
			t.Fatalf("job %d: %v is a block", j.ID, b)
		}
	case bidding.ClassSlurm:
	case bidding.ClassR:
		if j.Type() != bidding.Type1 {
			t.Fatalf("rigid job %d bids %v", j.ID, b)
		}
	default:
		t.Fatalf("job %d: class of %v", j.ID, b)
	}
}

// MemoryOf is what a bid takes from its i-th node.
func MemoryOf(s auction.Snapshot, b bidding.Bid, i int) int {
	o := s.Jobs[b.Job].Options
	return o.MemoryPerNode + o.MemoryPerCore*b.Cores[i]
}
