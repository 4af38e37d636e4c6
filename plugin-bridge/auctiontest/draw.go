package auctiontest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Between draws (almost) evenly, bit by bit; rapid.IntRange prefers small
// numbers so much that most snapshots would have a node or two and no job.
func Between(low, high int) *rapid.Generator[int] {
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

// DrawSnapshot draws a machine of up to 16 nodes in any state, of one kind of
// node or of two, and a window of up to maxJobs jobs of all types.
func DrawSnapshot(t *rapid.T, maxJobs int) auction.Snapshot {
	var s auction.Snapshot
	cores := rapid.SampledFrom([]int{4, 8}).Draw(t, "coresPerNode")
	mixed := rapid.Bool().Draw(t, "mixed")
	for i := range Between(1, 16).Draw(t, "nodeCount") {
		n := machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: cores, GPUs: 2}
		if mixed {
			n.GPUType, n.Weight = "a100", 20
		}
		if mixed && i%3 == 0 {
			n.Cores, n.GPUType, n.Weight = n.Cores/2, "v100", 10
		}
		switch Between(0, 3).Draw(t, "state") {
		case 0: // full
		case 1: // shared
			n.FreeCores = Between(1, n.Cores).Draw(t, "free")
			n.FreeGPUs = Between(0, 2).Draw(t, "freeGPUs")
		default:
			n.FreeCores, n.FreeGPUs = n.Cores, n.GPUs
		}
		n.Memory = 16
		n.FreeMemory = Between(4, 16).Draw(t, "freeMemory")
		n.Partitions = []string{"main", "even"}[:1+i%2]
		n.Features = []string{"fast", "big"}[:i%3]
		s.Nodes = append(s.Nodes, n)
	}
	if rapid.Bool().Draw(t, "tree") {
		Connect(s.Nodes, Between(1, 6).Draw(t, "leaf"), Between(2, 3).Draw(t, "fanout"))
	}
	jobs := Between(0, maxJobs).Draw(t, "jobCount")
	s.Weighted = rapid.Bool().Draw(t, "weighted")
	for i := range jobs {
		j := bidding.Job{ID: 100 + i, Priority: float64(Between(0, 1).Draw(t, "tie") + 2*(jobs-i)), Contiguous: rapid.Bool().Draw(t, "contiguous")}
		switch Between(1, 3).Draw(t, "type") {
		case 1:
			j.Cores = Between(1, 40).Draw(t, "cores")
		case 2:
			j.Nodes = Between(1, 8).Draw(t, "nodes")
			j.Cores = Between(j.Nodes, j.Nodes*cores).Draw(t, "cores")
			j.GPUs = Between(0, 2).Draw(t, "gpus")
		case 3:
			j.Nodes = Between(1, 8).Draw(t, "nodes")
			j.CoresPerNode = Between(1, cores).Draw(t, "coresPerNode")
			j.GPUs = Between(0, 2).Draw(t, "gpus")
		}
		if j.GPUs > 0 && rapid.Bool().Draw(t, "range") {
			j.MaxGPUs = Between(j.GPUs, 3).Draw(t, "maxGPUs")
		}
		if rapid.Bool().Draw(t, "alternatives") {
			a := bidding.Alternative{Cores: Between(1, 20).Draw(t, "altCores")}
			b := bidding.Alternative{Nodes: Between(1, 4).Draw(t, "altNodes"), CoresPerNode: Between(1, cores).Draw(t, "altCoresPerNode"), GPUs: 1, MaxGPUs: 2}
			j.Alternatives = []bidding.Alternative{a, b}[:Between(1, 2).Draw(t, "altCount")]
		}
		if rapid.Bool().Draw(t, "options") {
			j.Options = drawOptions(t, len(s.Nodes))
		}
		s.Jobs = append(s.Jobs, j)
	}
	s.Licences = []machine.Licence{{Name: "l", Count: Between(0, 4).Draw(t, "licences")}}
	return s
}

// Connect puts the nodes below a regular tree of switches.
func Connect(nodes []machine.Node, leaf, fanout int) {
	for size, top := leaf, false; !top; size *= fanout {
		top = size >= len(nodes)
		for i := range nodes {
			nodes[i].Switches = append(nodes[i].Switches, i/size)
		}
	}
}

// drawOptions draws options as they come: most often one of them, now and then
// several.
func drawOptions(t *rapid.T, nodes int) bidding.JobOptions {
	var o bidding.JobOptions
	for range Between(1, 2).Draw(t, "optionCount") {
		switch Between(0, 11).Draw(t, "option") {
		case 0:
			o.Partition = "even"
		case 1:
			o.Features = []string{"fast", "big"}[:Between(1, 2).Draw(t, "features")]
			o.OneFeature = len(o.Features) == 2 && rapid.Bool().Draw(t, "one feature")
		case 2:
			o.Excluded = []int{Between(0, nodes-1).Draw(t, "excluded")}
		case 3:
			o.Required = []int{Between(0, nodes-1).Draw(t, "required")}
		case 4:
			o.Required = []int{0, nodes - 1}
		case 5:
			o.Exclusive = true
		case 6:
			o.MemoryPerNode, o.MemoryPerCore = Between(1, 8).Draw(t, "memory"), 0
		case 7:
			o.MemoryPerNode, o.MemoryPerCore = 0, Between(1, 3).Draw(t, "memory")
		case 8:
			o.Switches = Between(1, 3).Draw(t, "switches")
		case 9:
			o.GPUType = "v100"
		case 10:
			o.MostNodes = Between(1, 3).Draw(t, "most nodes")
		case 11:
			o.Barred = []int{Between(0, nodes-1).Draw(t, "barred")}
		}
	}
	o.Required = slices.DeleteFunc(o.Required, func(n int) bool { return slices.Contains(o.Excluded, n) })
	if rapid.Bool().Draw(t, "licensed") {
		o.Licences = []machine.Licence{{Name: "l", Count: Between(1, 3).Draw(t, "licences")}}
	}
	return o
}
