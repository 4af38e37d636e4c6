package auction_test

import (
	"fmt"

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
		s.Nodes = append(s.Nodes, n)
	}
	jobs := between(0, maxJobs).Draw(t, "jobCount")
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
		s.Jobs = append(s.Jobs, j)
	}
	return s
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
	j := s.Jobs[b.Job]
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
		if j.CoresPerNode > 0 && b.Cores[i] != j.CoresPerNode {
			t.Fatalf("job %d: %v gives %d cores on a node", j.ID, b, b.Cores[i])
		}
	}
	if want := max(j.Cores, j.Nodes*j.CoresPerNode); sum != want {
		t.Fatalf("job %d: %v takes %d cores of %d", j.ID, b, sum, want)
	}
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
