package compare

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Kind says what the replicas of a comparison are of each other.
type Kind string

// The kinds, as they are in CSV.
const (
	// Seeds are replicas whose jobs are drawn with different seeds.
	Seeds Kind = "seed"
	// Windows are replicas whose jobs are those of different windows of one trace.
	Windows Kind = "window"
	// Repetitions are runs of the same jobs, as every seed gives them where the
	// workload is a list. They differ by chance alone, so that they say how large
	// run-to-run noise is and nothing about other jobs.
	Repetitions Kind = "repetition"
)

// kindOf tells the kind of the runs of one side. One run alone is a replica of its
// seed. Where any two have the same jobs, byte by byte, an interval over workloads
// would count one workload twice.
func kindOf(runs []metric.Result) Kind {
	for i, r := range runs {
		if slices.ContainsFunc(runs[:i], func(other metric.Result) bool { return bytes.Equal(r.Workload, other.Workload) }) {
			return Repetitions
		}
	}
	if runs[0].Run.Windows > 0 {
		return Windows
	}
	return Seeds
}

// inOrder sorts runs by seed and window.
func inOrder(runs []metric.Result) []metric.Result {
	return slices.SortedFunc(slices.Values(runs), func(x, y metric.Result) int {
		return cmp.Or(cmp.Compare(x.Run.Seed, y.Run.Seed), cmp.Compare(x.Run.Window, y.Run.Window))
	})
}

// replica is what the two runs of a pair have in common.
type replica struct {
	seed   uint64
	window int
}

// pair matches the runs, which are in order. The two of a pair may differ in what is
// compared alone, and in the version of slurmlab.
func pair(sides trace.Sides, a, b []metric.Result) error {
	replicas := func(side []metric.Result) []replica {
		list := make([]replica, len(side))
		for i, r := range side {
			list[i] = replica{r.Run.Seed, r.Run.Window}
		}
		return list
	}
	ofA, ofB := replicas(a), replicas(b)
	if !slices.Equal(ofA, ofB) {
		return fmt.Errorf("%s %s has %s, %s %s has %s", sides.Of, sides.A, names(ofA), sides.Of, sides.B, names(ofB))
	}
	if distinct := slices.Compact(slices.Clone(ofA)); len(distinct) < len(ofA) {
		return fmt.Errorf("a replica is there twice: %s", names(ofA))
	}
	var faults []error
	for i := range a {
		if d := a[i].Differences(b[i].Data, sides.Free()); len(d) > 0 {
			faults = append(faults, fmt.Errorf("%s: runs %s and %s differ in %s", a[i].Run.Replica(), a[i].Run.ID, b[i].Run.ID, d))
		}
	}
	return errors.Join(faults...)
}

// names lists the seeds, and the windows where there are any.
func names(list []replica) string {
	var seeds []uint64
	var windows []int
	for _, r := range list {
		seeds, windows = append(seeds, r.seed), append(windows, r.window)
	}
	if !slices.ContainsFunc(windows, func(w int) bool { return w > 0 }) {
		return fmt.Sprintf("seeds %d", seeds)
	}
	return fmt.Sprintf("windows %d of seeds %d", windows, seeds)
}
