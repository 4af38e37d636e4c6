package metric

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

const (
	// gpuType is the way of GroupBys by the type of a job's GPUs.
	gpuType = "gpu-type"
	// untyped names GPUs without a type.
	untyped = "gpu"
	// NoGPU names nodes and jobs without GPUs.
	NoGPU = "no GPU"
)

// NodeTypes tells of which type the GPUs of each node are.
type NodeTypes struct {
	sizes []workloads.NodeSize
	parts gpuParts
	// of has for each node its types with "+" between them, NoGPU for none.
	of []string
}

// NewNodeTypes tells the types of a machine.
func NewNodeTypes(m workloads.Machine) NodeTypes {
	t := NodeTypes{sizes: m.Sizes(), parts: newGPUParts(m), of: make([]string, m.Nodes)}
	name := NoGPU
	if m.GPUs > 0 {
		name = untyped
	}
	for i := range t.of {
		t.of[i] = name
	}
	if !m.Unequal() {
		return t
	}
	for i, g := range m.Layout.GroupOf() {
		var types []string
		for _, gpu := range m.Layout.Groups[g].GPUs {
			types = append(types, cmp.Or(gpu.Type, untyped))
		}
		t.of[i] = cmp.Or(strings.Join(types, "+"), NoGPU)
	}
	return t
}

// GPUs are the GPUs that a job got by type. Where the accounting tells no type it is the type of the job's nodes, and of
// nodes with several types the one that the job asked for, or all of them with "+" between them. Parts of GPUs count as parts, see GPUsOf.
func (t NodeTypes) GPUs(j trace.FinishedJob) map[string]float64 {
	if j.AllocGPUs == 0 {
		return t.partsOf(j)
	}
	gpus, left := map[string]float64{}, j.AllocGPUs
	for _, g := range j.AllocTypes {
		gpus[g.Type] += float64(g.Count)
		left -= g.Count
	}
	if left <= 0 {
		return gpus
	}
	all := 0
	for _, n := range j.Allocated {
		all += t.sizes[n].GPUs
	}
	for i, n := range j.Allocated {
		// An exclusive job has all GPUs of its nodes, others have as many on each.
		share := left / len(j.Allocated)
		if i < left%len(j.Allocated) {
			share++
		}
		if all == left {
			share = t.sizes[n].GPUs
		}
		if share > 0 {
			name := t.of[n]
			if strings.Contains(name, "+") {
				name = cmp.Or(j.GPUType, name)
			}
			gpus[name] += float64(share)
		}
	}
	return gpus
}

// partsOf are the parts of GPUs that a job had, by the types of its nodes.
func (t NodeTypes) partsOf(j trace.FinishedJob) map[string]float64 {
	if j.Shards+j.MPS == 0 {
		return nil
	}
	gpus := map[string]float64{}
	for _, n := range j.Allocated {
		if part := t.parts.on(n, j.Job); part > 0 {
			gpus[t.of[n]] += part
		}
	}
	return gpus
}

// Cores are the cores that a job got by the type of the GPUs of their nodes. Accounting does not tell how many a job has
// on each node: they are spread evenly, see EvenShare.
func (t NodeTypes) Cores(j trace.FinishedJob) map[string]int {
	if !j.Started() {
		return nil
	}
	cores := map[string]int{}
	for i, share := range EvenShare(j.AllocCores, j.Allocated, t.sizes) {
		cores[t.of[j.Allocated[i]]] += share
	}
	return cores
}

// group is the type of the GPUs that the job got, or asked for if it never started.
func (t NodeTypes) group(j trace.FinishedJob) (rank int, name string) {
	switch got := slices.Sorted(maps.Keys(t.GPUs(j))); {
	case len(got) > 0:
		return 1, strings.Join(got, "+")
	case j.GPUsMax+j.Shards+j.MPS > 0:
		return 1, cmp.Or(j.GPUType, untyped)
	}
	return 0, NoGPU
}
