package metric

import (
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// GPUFragmentation is how scattered the idle GPUs were, in three published
// definitions; see Measures.
type GPUFragmentation struct {
	// Gaps is 0 when each GPU is idle once, without a break, and near 1 when the
	// idle time of each GPU is cut into many pieces.
	Gaps float64 `json:"gaps"`
	// FGD is a part of the idle GPU time, 0 to 1.
	FGD float64 `json:"fgd"`
	// Blocks is the mean number of blocks of nodes of the jobs with GPUs, 0
	// without such jobs.
	Blocks float64 `json:"blocks"`
}

// gpuFragmentation is nil on a machine without GPUs, and unknown where jobs had parts of them. Times before the first
// submission and after the makespan do not count.
func gpuFragmentation(m workloads.Machine, jobs []trace.FinishedJob, makespan float64) *GPUFragmentation {
	if m.AllGPUs() == 0 || slices.ContainsFunc(jobs, hasParts) {
		return nil
	}
	gaps, fgd := newGapMeter(m), newFGDMeter(m, jobs)
	sweep(m, jobs, func(t float64, node int, u use) {
		// Later only jobs that were cancelled as they started can come.
		if t > makespan {
			return
		}
		gaps.visit(t, node, u.gpus)
		fgd.visit(t, node, u)
	})
	var blocks []float64
	for _, j := range trace.Counted(jobs) {
		if j.AllocGPUs > 0 {
			blocks = append(blocks, float64(Fragmentation(j.Allocated)))
		}
	}
	return &GPUFragmentation{Gaps: gaps.mean(makespan), FGD: fgd.share(makespan), Blocks: meanStd(blocks).Mean}
}

// gapMeter measures the idle times of each GPU. The k-th GPU of a node is in
// use while at least k+1 of the node's GPUs are.
type gapMeter struct {
	inUse []int // by node
	nodes [][]gapTimes
}

// gapTimes are the idle times of one GPU: since when it is idle, and the sums of
// its finished gaps and of their squares.
type gapTimes struct{ idleSince, sum, squares float64 }

func newGapMeter(m workloads.Machine) gapMeter {
	g := gapMeter{inUse: make([]int, m.Nodes)}
	for _, size := range m.Sizes() {
		g.nodes = append(g.nodes, make([]gapTimes, size.GPUs))
	}
	return g
}

func (g gapMeter) visit(t float64, node, inUse int) {
	gpus := g.nodes[node]
	for k := g.inUse[node]; k < inUse; k++ {
		gpus[k].end(t)
	}
	for k := inUse; k < g.inUse[node]; k++ {
		gpus[k].idleSince = t
	}
	g.inUse[node] = inUse
}

func (g *gapTimes) end(t float64) {
	gap := t - g.idleSince
	g.sum += gap
	g.squares += gap * gap
}

// mean ends the last gaps at the end of the run.
func (g gapMeter) mean(makespan float64) float64 {
	total, all := 0.0, 0
	for n, gpus := range g.nodes {
		for k, gpu := range gpus {
			if k >= g.inUse[n] {
				gpu.end(makespan)
			}
			if gpu.sum > 0 {
				total += 1 - gpu.squares/(gpu.sum*gpu.sum)
			}
			all++
		}
	}
	return total / float64(all)
}

// fgdMeter integrates over time the idle GPUs and, of these, the fragments. An idle
// GPU is counted as a fragment once for each job that cannot use it, so that sums
// are whole numbers until they are divided by the number of jobs.
type fgdMeter struct {
	table               fragmentTable
	sizes               []workloads.NodeSize
	groups              []int  // the group of each node
	at                  []node // what each node has left
	idle, fragments     int
	idleSum, fragmented float64
	last                float64
}

func newFGDMeter(m workloads.Machine, jobs []trace.FinishedJob) *fgdMeter {
	f := &fgdMeter{table: newFragmentTable(m, jobs), sizes: m.Sizes(), at: make([]node, m.Nodes), groups: make([]int, m.Nodes)}
	if m.Unequal() {
		f.groups = m.Layout.GroupOf()
	}
	for i := range f.at {
		f.at[i] = f.left(i, use{})
		f.add(f.at[i], 1)
	}
	return f
}

func (f *fgdMeter) visit(t float64, i int, u use) {
	f.advance(t)
	f.add(f.at[i], -1)
	f.at[i] = f.left(i, u)
	f.add(f.at[i], 1)
}

func (f *fgdMeter) advance(t float64) {
	f.idleSum += float64(f.idle) * (t - f.last)
	f.fragmented += float64(f.fragments) * (t - f.last)
	f.last = t
}

func (f *fgdMeter) add(n node, sign int) {
	f.idle += sign * n.gpus
	f.fragments += sign * n.gpus * f.table.useless[n.group][n.cores][n.gpus]
}

// now is the number of fragmented GPUs for a job drawn from the workload.
func (f *fgdMeter) now() float64 { return float64(f.fragments) / float64(f.table.jobs) }

// share is fragmented GPU-seconds / idle GPU-seconds, 0 when none is idle.
func (f *fgdMeter) share(makespan float64) float64 {
	f.advance(makespan)
	if f.idleSum == 0 {
		return 0
	}
	return f.fragmented / (f.idleSum * float64(f.table.jobs))
}

// node is what a node of a group has idle. All nodes of a machine without groups are of
// group 0.
type node struct{ group, cores, gpus int }

// fragmentTable knows for each state of a node how many jobs of the workload
// cannot use its idle GPUs. They can use all or none of them, as GPUs are
// allocated whole.
type fragmentTable struct {
	// useless[group][cores][gpus] counts the jobs that cannot use such a node.
	useless [][][]int
	jobs    int
}

// asker is what jobs need on a node in order to use its GPUs.
type asker struct {
	cores, gpus int
	exclusive   bool
	hosts       string
}

func newFragmentTable(m workloads.Machine, jobs []trace.FinishedJob) fragmentTable {
	askers := map[asker]int{}
	for _, j := range jobs {
		if j.GPUsMin > 0 {
			askers[asker{coresAsked(m, j.Job), j.GPUsMin, j.Exclusive, hostsOf(m, j.Job)}]++
		}
	}
	sizes := []workloads.NodeSize{{Cores: m.Cores, GPUs: m.GPUs}}
	if m.Unequal() {
		sizes = sizes[:0]
		for _, g := range m.Layout.Groups {
			sizes = append(sizes, workloads.NodeSize{Cores: g.Cores, GPUs: g.AllGPUs()})
		}
	}
	t := fragmentTable{jobs: len(jobs)}
	for group, size := range sizes {
		useless := make([][]int, size.Cores+1)
		for c := range useless {
			useless[c] = make([]int, size.GPUs+1)
			for g := range useless[c] {
				useless[c][g] = len(jobs)
				for a, n := range askers {
					if a.canUse(node{group, c, g}, size) {
						useless[c][g] -= n
					}
				}
			}
		}
		t.useless = append(t.useless, useless)
	}
	return t
}

// canUse says whether a job can use the idle GPUs of a node of such a size. Memory is not
// looked at.
func (a asker) canUse(n node, size workloads.NodeSize) bool {
	if a.hosts != "" && a.hosts[n.group] != '1' || a.exclusive && (n.cores < size.Cores || n.gpus < size.GPUs) {
		return false
	}
	return n.cores >= a.cores && n.gpus >= a.gpus
}

// coresAsked is the number of cores that the job needs on a node, its even share
// of them where it does not say.
func coresAsked(m workloads.Machine, j workloads.Job) int {
	if j.CoresPerNode > 0 {
		return j.CoresPerNode
	}
	nodes := fewestNodes(m, j)
	return (j.Cores + nodes - 1) / nodes
}

// left is what a node has left, never less than 0: cores spread evenly can be more
// than the node has.
func (f *fgdMeter) left(i int, u use) node {
	return node{f.groups[i], max(0, f.sizes[i].Cores-u.cores), f.sizes[i].GPUs - u.gpus}
}
