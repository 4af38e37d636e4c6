package metric

import (
	"math"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// gpuParts has the numbers of GPUs, shards and MPS of each node. It is nil on a machine without the latter two.
type gpuParts []struct{ gpus, shards, mps int }

func newGPUParts(m workloads.Machine) gpuParts {
	if shards, mps := m.Layout.Shares(); !shards && !mps {
		return nil
	}
	parts := make(gpuParts, m.Nodes)
	for i, of := range m.Layout.GroupOf() {
		g := m.Layout.Groups[of]
		parts[i].gpus, parts[i].shards, parts[i].mps = g.AllGPUs(), g.Shards, g.MPS
	}
	return parts
}

// on is the part of a node's GPUs that a job has there: 2 of 8 shards on 2 GPUs are half a GPU. Accounting does not say of which GPU. So where GPUs
// of a node have unequal numbers of shards, a shard counts as the mean, and all shards of a node are all of its GPUs.
func (p gpuParts) on(node int, j workloads.Job) float64 {
	if p == nil {
		return 0
	}
	n := p[node]
	return float64(n.gpus*j.Shards)/float64(max(1, n.shards)) + float64(n.gpus*j.MPS)/float64(max(1, n.mps))
}

// dividedGPUs are the GPUs of all nodes that have parts of them, and how many.
type dividedGPUs struct{ gpus, parts int }

// gpusOf are so many parts of them, a part being the mean.
func (d dividedGPUs) gpusOf(parts int) float64 {
	return float64(d.gpus*parts) / float64(max(1, d.parts))
}

// all are the GPUs with shards and those with MPS.
func (p gpuParts) all() (shards, mps dividedGPUs) {
	for _, n := range p {
		if n.shards > 0 {
			shards = dividedGPUs{shards.gpus + n.gpus, shards.parts + n.shards}
		}
		if n.mps > 0 {
			mps = dividedGPUs{mps.gpus + n.gpus, mps.parts + n.mps}
		}
	}
	return shards, mps
}

// hasParts says whether a job had a part of a GPU, of which Slurm does not tell the GPU. An exclusive one had all GPUs of its nodes.
func hasParts(j trace.FinishedJob) bool { return j.Started() && j.Shards+j.MPS > 0 && !j.Exclusive }

// GPUsOf returns how many GPUs a job of the machine had over all its nodes, with parts of GPUs. Slurm accounts no GPU for a job with shards or MPS,
// unless it is exclusive and has all GPUs of its nodes.
func GPUsOf(m workloads.Machine) func(trace.FinishedJob) float64 {
	parts := newGPUParts(m)
	return func(j trace.FinishedJob) float64 {
		gpus := float64(j.AllocGPUs)
		if j.AllocGPUs == 0 && j.Shards+j.MPS > 0 {
			for _, n := range j.Allocated {
				gpus += parts.on(n, j.Job)
			}
		}
		return gpus
	}
}

// rounded takes away what sums of parts such as thirds are off. Adding 0 makes 0 of -0.
func rounded(gpus float64) float64 { return math.Round(gpus*1e6)/1e6 + 0 }
