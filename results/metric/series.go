package metric

import (
	"fmt"
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Point is one step of a step function: from T (virtual seconds since the first
// submission) on, up to the T of the next point, it has the value V.
type Point struct {
	T, V float64
}

// Series holds how the machine was used over time. Each function starts with
// its first change and ends with a point of value 0, has ascending T, and no
// two neighbours with the same V.
type Series struct {
	// UsedCores and UsedGPUs count over all nodes, parts of GPUs as parts.
	UsedCores []Point
	UsedGPUs  []Point
	// Queue counts the jobs submitted and not yet started.
	Queue []Point
	// FragmentedGPUs counts the idle GPUs that a job drawn from the workload
	// cannot use, on average (FGD, see Measures). It starts at 0 s.
	FragmentedGPUs []Point
}

// NewSeries computes the series of finished jobs. Intervals are half-open: what
// ends and what starts at the same instant is one step, so that cores handed
// from one job to the next are never counted twice.
func NewSeries(m workloads.Machine, jobs []trace.FinishedJob) Series {
	cores, gpus, queue := changes(m, jobs)
	return Series{UsedCores: steps(cores), UsedGPUs: steps(gpus), Queue: steps(queue), FragmentedGPUs: fragmentedGPUs(m, jobs)}
}

// changes says by how much the cores and GPUs in use and the queue change at
// each instant.
func changes(m workloads.Machine, jobs []trace.FinishedJob) (cores, gpus, queue map[float64]float64) {
	cores, gpus, queue = map[float64]float64{}, map[float64]float64{}, map[float64]float64{}
	gpusOf := GPUsOf(m)
	for _, j := range jobs {
		queue[j.Submit]++
		if !j.Started() {
			queue[j.Finish]--
			continue
		}
		queue[j.Start]--
		cores[j.Start] += float64(j.AllocCores)
		cores[j.Finish] -= float64(j.AllocCores)
		gpus[j.Start] += gpusOf(j)
		gpus[j.Finish] -= gpusOf(j)
	}
	return cores, gpus, queue
}

// steps sums up the changes in the order of time.
func steps(change map[float64]float64) []Point {
	var points []Point
	sum, value := 0.0, 0.0
	for _, t := range slices.Sorted(maps.Keys(change)) {
		sum += change[t]
		if rounded(sum) == value {
			continue
		}
		value = rounded(sum)
		points = append(points, Point{T: t, V: value})
	}
	return points
}

// fragmentedGPUs is nil on a machine without GPUs, and where jobs had parts of them. It ends with a point of
// value 0 at the last end.
func fragmentedGPUs(m workloads.Machine, jobs []trace.FinishedJob) []Point {
	if m.AllGPUs() == 0 || len(jobs) == 0 || slices.ContainsFunc(jobs, hasParts) {
		return nil
	}
	f := newFGDMeter(m, jobs)
	points := []Point{{T: 0, V: f.now()}}
	set := func(t, v float64) {
		if last := &points[len(points)-1]; last.T == t {
			last.V = v
		} else {
			points = append(points, Point{t, v})
		}
	}
	sweep(m, jobs, func(t float64, node int, u use) {
		f.visit(t, node, u)
		set(t, f.now())
	})
	set(max(makespan(jobs), points[len(points)-1].T), 0)
	return slices.CompactFunc(points, func(a, b Point) bool { return a.V == b.V })
}

// checkCapacity refuses rows that use more than the machine has: their
// utilisation would be a fiction. Of a node only the GPUs are known.
func checkCapacity(m workloads.Machine, jobs []trace.FinishedJob) error {
	cores, gpus, _ := changes(m, jobs)
	for _, use := range []struct {
		what   string
		points []Point
		all    int
	}{
		{"cores", steps(cores), m.AllCores()},
		{"GPUs", steps(gpus), m.AllGPUs()},
	} {
		for _, p := range use.points {
			if p.V > float64(use.all) {
				return fmt.Errorf("%g %s are in use at %g s, machine %s has %d", p.V, use.what, p.T, m.Name, use.all)
			}
		}
	}
	var err error
	sizes := m.Sizes()
	sweep(m, jobs, func(t float64, node int, u use) {
		if err == nil && u.gpus > sizes[node].GPUs {
			err = fmt.Errorf("%d GPUs are in use on node n%d of machine %s at %g s, it has %d", u.gpus, node+1, m.Name, t, sizes[node].GPUs)
		}
	})
	return err
}

// ECDF returns the empirical distribution function of values as points (value,
// fraction of all values that are not greater): T ascends, V rises to 1. It is
// nil for no values.
func ECDF(values []float64) []Point {
	sorted := slices.Sorted(slices.Values(values))
	var points []Point
	for i, v := range sorted {
		if i+1 < len(sorted) && sorted[i+1] == v {
			continue
		}
		points = append(points, Point{T: v, V: float64(i+1) / float64(len(sorted))})
	}
	return points
}
