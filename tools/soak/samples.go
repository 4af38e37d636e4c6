package main

import (
	"cmp"
	"math"
	"slices"
)

// sample is what all processes of one name had at one look.
type sample struct {
	Process string
	// Seconds are real ones since the first look; Ended are the jobs that have ended.
	Seconds float64
	Ended   int
	// Count is the number of processes, Memory their resident KiB, Descriptors their open
	// files, Threads their threads, CPU the processor seconds of all that had the name so far.
	Count, Memory, Descriptors, Threads int
	CPU                                 float64
}

// processes are the names in the order of their processor time, the most first.
func processes(all []sample) []string {
	last := map[string]float64{}
	for _, s := range all {
		last[s.Process] = s.CPU
	}
	var names []string
	for name := range last {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(last[b], last[a]), cmp.Compare(a, b))
	})
	return names
}

// samplesOf are the samples of one name.
func samplesOf(all []sample, name string) []sample {
	return slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return s.Process != name })
}

// endedAt are the jobs that had ended at the last look at a name. The last jobs of a run end
// between that look and the end of its processes.
func endedAt(all []sample, name string) int {
	ended := 0
	for _, s := range samplesOf(all, name) {
		ended = max(ended, s.Ended)
	}
	return ended
}

// warmUp is the part of the jobs after which memory and descriptors must not grow.
const warmUp = 0.2

// growth is what a name had on the average in the fifth of the jobs after the warm-up,
// and in the last fifth.
type growth struct {
	MemoryFirst, MemoryLast, DescriptorsFirst, DescriptorsLast, ThreadsFirst, ThreadsLast float64
	// Wobble is the standard deviation by which descriptors go up and down without growing.
	Wobble float64
}

// growthOf is the growth of one name over a run of so many jobs; ok is false without a sample in either part.
func growthOf(all []sample, name string, jobs int) (g growth, ok bool) {
	own := samplesOf(all, name)
	part := func(from, to float64) (memory, descriptors, threads float64, ok bool) {
		n := 0.0
		for _, s := range own {
			if done := float64(s.Ended) / float64(jobs); done >= from && done < to {
				memory, descriptors, threads = memory+float64(s.Memory), descriptors+float64(s.Descriptors), threads+float64(s.Threads)
				n++
			}
		}
		return memory / n, descriptors / n, threads / n, n > 0
	}
	var first, last bool
	g.MemoryFirst, g.DescriptorsFirst, g.ThreadsFirst, first = part(warmUp, 2*warmUp)
	g.MemoryLast, g.DescriptorsLast, g.ThreadsLast, last = part(1-warmUp, end)
	var means []float64
	for i := range pieces {
		at := func(i int) float64 { return warmUp + (end-warmUp)*float64(i)/pieces }
		if _, mean, _, seen := part(at(i), at(i+1)); seen {
			means = append(means, mean)
		}
	}
	g.Wobble = wobble(means)
	return g, first && last
}

const (
	// end is the part of the jobs after which the accounting is collected, which is no part
	// of the steady state.
	end = 0.999
	// pieces is the number of means between warm-up and end whose differences are the wobble.
	pieces = 20
)

// wobble estimates the standard deviation of values around a mean that may grow, from the differences of each two
// that follow each other. See von Neumann, Kent, Bellinson and Hart, "The mean square successive difference", Annals
// of Mathematical Statistics 12, 1941. Whether growth is steady or one step, it is a small part of these differences.
func wobble(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	sum := 0.0
	for i, v := range values[1:] {
		sum += (v - values[i]) * (v - values[i])
	}
	return math.Sqrt(sum / float64(2*(len(values)-1)))
}

// flat says that memory grew by less than 5 % or 2 MiB, and descriptors by less than one or
// by less than five times their wobble, which chance alone hardly reaches.
func (g growth) flat() bool {
	return g.MemoryLast <= max(1.05*g.MemoryFirst, g.MemoryFirst+2<<10) &&
		g.DescriptorsLast < g.DescriptorsFirst+max(1, 5*g.Wobble)
}

// cost is the processor seconds of a name while the jobs from one number to another one
// ended, by linear interpolation between the looks; ok is false where there are none.
func cost(all []sample, name string, from, to int) (seconds float64, ok bool) {
	at := func(ended int) (float64, bool) {
		var before *sample
		for _, s := range samplesOf(all, name) {
			if s.Ended < ended || before == nil {
				before = &s
				continue
			}
			if s.Ended == before.Ended {
				return s.CPU, true
			}
			share := float64(ended-before.Ended) / float64(s.Ended-before.Ended)
			return before.CPU + share*(s.CPU-before.CPU), true
		}
		return 0, false
	}
	start, began := at(from)
	end, over := at(to)
	return end - start, began && over
}

// costWobble is the standard deviation of the difference between the costs of two parts of so many jobs, if neither
// is dearer. It follows from the differences between neighbours after the first part.
func costWobble(all []sample, name string, part int) float64 {
	var costs []float64
	for from := part; from+part <= endedAt(all, name); from += part {
		if own, ok := cost(all, name, from, from+part); ok {
			costs = append(costs, own)
		}
	}
	return math.Sqrt2 * wobble(costs)
}
