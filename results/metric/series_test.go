package metric

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/trace"
)

func TestECDF(t *testing.T) {
	if got := ECDF(nil); got != nil {
		t.Errorf("got %v", got)
	}
	want := []Point{{1, 0.25}, {2, 0.75}, {5, 1}}
	if got := ECDF([]float64{2, 5, 1, 2}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestECDFCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 5).Draw(t, "v")) }), 1, 20).Draw(t, "values")
		for _, p := range ECDF(slices.Clone(values)) {
			n := 0
			for _, v := range values {
				if v <= p.T {
					n++
				}
			}
			if p.V != float64(n)/float64(len(values)) {
				t.Fatalf("%v of %v", p, values)
			}
		}
	})
}

// Steps ascend, differ, end at zero, and hold as many core-seconds as the jobs.
func TestSeriesInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs []trace.FinishedJob
		coreSeconds, waited := 0.0, 0.0
		for range rapid.IntRange(0, 12).Draw(t, "jobs") {
			submit := rapid.IntRange(0, 20).Draw(t, "submit")
			start := submit + rapid.IntRange(0, 20).Draw(t, "wait")
			finish := start + rapid.IntRange(0, 20).Draw(t, "run")
			j := trace.FinishedJob{Submit: float64(submit), Start: float64(start), Finish: float64(finish)}
			if rapid.IntRange(0, 5).Draw(t, "cancelled") == 0 {
				j.Start = trace.NeverStarted
				waited += j.Finish - j.Submit
			} else {
				j.Allocated, j.AllocCores = []int{0}, rapid.IntRange(1, 8).Draw(t, "cores")
				coreSeconds += float64(j.AllocCores) * (j.Finish - j.Start)
				waited += j.Start - j.Submit
			}
			jobs = append(jobs, j)
		}
		series := NewSeries(machineS(), jobs)
		for _, check := range []struct {
			points []Point
			area   float64
		}{{series.UsedCores, coreSeconds}, {series.Queue, waited}, {series.UsedGPUs, 0}} {
			area, before := 0.0, Point{T: -1}
			for _, p := range check.points {
				area += before.V * (p.T - before.T)
				if p.T <= before.T || p.V == before.V || p.V < 0 {
					t.Fatalf("step %v after %v", p, before)
				}
				before = p
			}
			if before.V != 0 || area != check.area {
				t.Fatalf("ends at %v with area %g, want %g", before, area, check.area)
			}
		}
	})
}
