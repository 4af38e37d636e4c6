package bidding

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// around returns at most limit spots for a shape of a job with required nodes, and their number without a limit.
// Every spot contains the required nodes. There is one for each run of neighbouring nodes of the places that contains
// them. Where they lie too far apart for such a run, there is one of them and the nodes nearest to them.
func (f *finder) around(j int, sh shape, p nodesets, limit int) (spots []spot, total int) {
	job := f.jobs[j]
	required := job.Options.Required
	var positions []int
	for _, n := range required {
		at, found := slices.BinarySearch(p.nodes, n)
		if !found {
			return nil, 0
		}
		positions = append(positions, at)
	}
	slices.Sort(positions)
	positions = slices.Compact(positions)
	if len(positions) > sh.nodes || len(p.nodes) < sh.nodes {
		return nil, 0
	}
	add := func(nodes []int) {
		if job.Contiguous && !machine.Contiguous(nodes) {
			return
		}
		total++
		if len(spots) < limit {
			spots = append(spots, f.locate(j, sh, nodes))
		}
	}
	first, last := positions[0], positions[len(positions)-1]
	for begin := max(0, last-sh.nodes+1); begin <= min(first, len(p.nodes)-sh.nodes); begin++ {
		add(p.nodes[begin : begin+sh.nodes : begin+sh.nodes])
	}
	if last-first+1 > sh.nodes {
		add(nearest(p.nodes, positions, sh.nodes))
	}
	return spots, total
}

// nearest returns n of the nodes, ascending: those at the given positions and
// those whose positions are closest to one of them, the lower one of two.
func nearest(nodes, positions []int, n int) []int {
	type candidate struct{ position, distance int }
	all := make([]candidate, len(nodes))
	for i := range nodes {
		all[i] = candidate{i, len(nodes)}
		for _, p := range positions {
			all[i].distance = min(all[i].distance, max(i-p, p-i))
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.distance - b.distance })
	chosen := make([]int, n)
	for i := range chosen {
		chosen[i] = nodes[all[i].position]
	}
	slices.Sort(chosen)
	return chosen
}
