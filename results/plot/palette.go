package plot

import (
	"image/color"
	"sort"

	"github.com/slurmlab/slurmlab/results/trace"
)

// familyIndex is the group of hues a job's colour comes from, so that the kind of
// a job is seen at once and single jobs can still be told apart.
type familyIndex int

const (
	cpuJob familyIndex = iota
	gpuJob
	failedJob
)

// hues returns a family's colours. Cool and warm colours are from the palette of Okabe and Ito, "Color Universal
// Design" (2008), which stays distinguishable under all common kinds of colour blindness. The indigo replaces their
// black, which would read as a gap.
func (f familyIndex) hues() []color.NRGBA {
	switch f {
	case cpuJob:
		return []color.NRGBA{
			{0x00, 0x72, 0xB2, 0xFF}, // blue
			{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
			{0x00, 0x9E, 0x73, 0xFF}, // bluish green
			{0x4B, 0x4E, 0x9E, 0xFF}, // indigo
		}
	case gpuJob:
		return []color.NRGBA{
			{0xE6, 0x9F, 0x00, 0xFF}, // orange
			{0xD5, 0x5E, 0x00, 0xFF}, // vermillion
			{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
			{0xF0, 0xE4, 0x42, 0xFF}, // yellow
		}
	default:
		return []color.NRGBA{{0x6B, 0x6B, 0x6B, 0xFF}}
	}
}

// label is the family's text in a legend.
func (f familyIndex) label() string {
	switch f {
	case cpuJob:
		return "CPU jobs"
	case gpuJob:
		return "GPU jobs"
	default:
		return "not completed"
	}
}

func familyOf(j trace.FinishedJob) familyIndex {
	switch {
	case j.State != "COMPLETED":
		return failedJob
	case j.AllocGPUs > 0:
		return gpuJob
	default:
		return cpuJob
	}
}

// lineColours are for lines on white, one per policy: dark and light enough
// to differ in greyscale too.
func lineColours() []color.NRGBA {
	return []color.NRGBA{
		{0xD5, 0x5E, 0x00, 0xFF},
		{0x00, 0x72, 0xB2, 0xFF},
		{0x00, 0x9E, 0x73, 0xFF},
		{0xCC, 0x79, 0xA7, 0xFF},
		{0x4B, 0x4E, 0x9E, 0xFF},
		{0x56, 0xB4, 0xE9, 0xFF},
	}
}

// colourIndex gives each job, by its id in the workload, an index into the
// hues of its family. A job keeps its index in all schedules, so that it can
// be found again in the other panel. Jobs that touch in any schedule get different
// indices where the palette has enough hues. Jobs are coloured greedily in the
// order of their ids: each gets the index that the fewest touching jobs have, of
// several the one least used so far.
func colourIndex(schedules []Schedule, hues int) map[int]int {
	neighbours := make(map[int][]int)
	// Jobs closer than this are seen as touching: about one pixel.
	gap := end(schedules) / 800
	ids := make(map[int]bool)
	for _, s := range schedules {
		addNeighbours(neighbours, s.Jobs, gap)
		for _, j := range s.Jobs {
			ids[j.ID] = true
		}
	}
	order := make([]int, 0, len(ids))
	for id := range ids {
		order = append(order, id)
	}
	sort.Ints(order)

	index := make(map[int]int, len(order))
	used := make([]int, hues)
	for _, id := range order {
		clashes := make([]int, hues)
		for _, other := range neighbours[id] {
			if c, ok := index[other]; ok {
				clashes[c]++
			}
		}
		best := 0
		for c := range hues {
			if clashes[c] < clashes[best] || clashes[c] == clashes[best] && used[c] < used[best] {
				best = c
			}
		}
		index[id] = best
		used[best]++
	}
	return index
}

// addNeighbours records the pairs of jobs of one family that touch in time
// and nodes. Jobs of different families differ in hue anyway.
func addNeighbours(neighbours map[int][]int, jobs []trace.FinishedJob, gap float64) {
	sorted := byStart(jobs)
	cut := make([][]block, len(sorted))
	for i, j := range sorted {
		cut[i] = blocks(j.Allocated)
	}
	var alive []int
	for i, j := range sorted {
		kept := alive[:0]
		for _, k := range alive {
			if sorted[k].Finish+gap < j.Start {
				continue
			}
			kept = append(kept, k)
			if familyOf(sorted[k]) == familyOf(j) && touch(cut[k], cut[i]) {
				neighbours[j.ID] = append(neighbours[j.ID], sorted[k].ID)
				neighbours[sorted[k].ID] = append(neighbours[sorted[k].ID], j.ID)
			}
		}
		alive = append(kept, i)
	}
}

// byStart returns the jobs in order of start, then id.
func byStart(jobs []trace.FinishedJob) []trace.FinishedJob {
	sorted := append([]trace.FinishedJob(nil), jobs...)
	sort.SliceStable(sorted, func(a, b int) bool {
		if sorted[a].Start != sorted[b].Start {
			return sorted[a].Start < sorted[b].Start
		}
		return sorted[a].ID < sorted[b].ID
	})
	return sorted
}
