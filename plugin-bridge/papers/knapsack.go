package papers

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// knapsack chooses jobs by IPSCHED's program without its variables. Each job is worth of_j (1 - n_j/2N), where n_j is
// the fewest nodes that it could have alone, and takes its cores. The best jobs for all free cores together are an upper
// bound of the program, as each row of it still holds. If they can be placed on n_j nodes each, they are its optimum.
//
// The jobs that could be placed are a point of the program in any case.
func knapsack(s auction.Snapshot, w worth, ranges []nodeRange) direct {
	const (
		// most bounds the work of a decision: about 0.2 s.
		most = 100_000_000
		// largest is far from what int64 holds.
		largest = 1 << 62
	)
	var items []item
	free, unit := 0, 0
	for _, n := range s.Nodes {
		free += n.FreeCores
	}
	// dearest is the greatest value of a core.
	dearest := 0.0
	for j, job := range s.Jobs {
		nodes, fits := fewest(job, ranges[j], s.Nodes)
		if !fits {
			continue
		}
		it := item{job: j, nodes: nodes, cores: job.Tasks(), value: int64(w.of[j]) * int64(2*len(s.Nodes)-nodes)}
		dearest = max(dearest, w.of[j]*float64(2*len(s.Nodes))/float64(it.cores))
		items, unit = append(items, it), gcd(unit, it.cores)
	}
	if len(items) == 0 {
		return direct{proven: true}
	}
	d := direct{proven: true}
	d.size = auction.Size{Columns: len(items), Rows: 1, NonZeros: len(items)}
	if free/unit > most/len(items) || dearest*float64(free) > largest {
		return direct{}
	}
	left := slices.Clone(s.Nodes)
	chosen := packed(items, free/unit, unit)
	// Jobs with GPUs have fewer nodes to choose from, and large ones need the emptiest.
	slices.SortStableFunc(chosen, func(a, b item) int {
		if x, y := s.Jobs[a.job], s.Jobs[b.job]; (x.GPUs > 0) != (y.GPUs > 0) {
			return y.GPUs - x.GPUs
		}
		return b.cores - a.cores
	})
	for _, it := range chosen {
		a, ok := put(left, s.Jobs[it.job], it.nodes)
		if !ok {
			d.proven = false
			continue
		}
		machine.Take(left, a)
		d.all = append(d.all, chosenCores{
			Job: it.job, Allocation: a, Class: bidding.ClassFree, Movable: true,
			Value: w.of[it.job] * (1 - float64(it.nodes)/float64(2*len(s.Nodes))),
		})
	}
	slices.SortFunc(d.all, func(a, b chosenCores) int { return a.Job - b.Job })
	return d
}

// item is a job of the knapsack.
type item struct {
	job, nodes, cores int
	value             int64
}

// packed are the items of greatest value that take at most free units of cores, by the table of Bellman.
func packed(items []item, free, unit int) (chosen []item) {
	value := make([]int64, free+1)
	taken := make([][]bool, len(items))
	// The last item goes first, so that of equal values the first jobs win.
	for i := len(items) - 1; i >= 0; i-- {
		taken[i] = make([]bool, free+1)
		for room, need := free, items[i].cores/unit; room >= need; room-- {
			if with := value[room-need] + items[i].value; with >= value[room] {
				value[room], taken[i][room] = with, true
			}
		}
	}
	room := free
	for i := range items {
		if taken[i][room] {
			chosen = append(chosen, items[i])
			room -= items[i].cores / unit
		}
	}
	return chosen
}

// fewest is the number of nodes that a job needs at least if no other starts, and whether it could start. By (3), (5),
// (6) and (8) that needs nodes that have its GPUs and its cores per node, at least N_min of them. By (1) and (2) these
// must have its cores, one on each at least.
func fewest(job bidding.Job, limits nodeRange, nodes []machine.Node) (count int, fits bool) {
	var free []int
	for _, n := range nodes {
		if n.FreeCores >= max(1, job.CoresPerNode) && n.FreeGPUs >= job.GPUs {
			free = append(free, n.FreeCores)
		}
	}
	slices.SortFunc(free, func(a, b int) int { return b - a })
	cores := 0
	for _, c := range free {
		if count >= limits.Min && cores >= job.Tasks() {
			break
		}
		if job.CoresPerNode > 0 {
			c = job.CoresPerNode
		}
		count, cores = count+1, cores+c
	}
	return count, cores >= job.Tasks() && limits.Min <= count && count <= min(limits.Max, job.Tasks())
}

// put places a job on exactly so many nodes: the emptiest that have its GPUs, and for the last of its cores the fullest
// that has room for them. Among equal nodes it takes one with few GPUs.
func put(left []machine.Node, job bidding.Job, count int) (machine.Allocation, bool) {
	var open []int
	for n, node := range left {
		if node.FreeCores >= max(1, job.CoresPerNode) && node.FreeGPUs >= job.GPUs {
			open = append(open, n)
		}
	}
	if len(open) < count {
		return machine.Allocation{}, false
	}
	slices.SortStableFunc(open, func(a, b int) int {
		if c := left[b].FreeCores - left[a].FreeCores; c != 0 && job.CoresPerNode == 0 {
			return c
		}
		return left[a].FreeGPUs - left[b].FreeGPUs
	})
	need := job.Tasks() - count
	nodes := slices.Clone(open[:count])
	cores := make(map[int]int, count)
	for at, n := range nodes {
		more := min(need, left[n].FreeCores-1)
		if job.CoresPerNode > 0 {
			more = job.CoresPerNode - 1
		}
		if at == count-1 && more == need {
			for _, other := range open[count:] {
				if left[other].FreeCores > more {
					nodes[at] = other
				}
			}
		}
		cores[nodes[at]] = 1 + more
		need -= more
	}
	if need != 0 {
		return machine.Allocation{}, false
	}
	slices.Sort(nodes)
	a := machine.Allocation{Nodes: nodes, GPUs: job.GPUs}
	for _, n := range nodes {
		a.Cores = append(a.Cores, cores[n])
	}
	return a, true
}

// gcd is the greatest common divisor.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
