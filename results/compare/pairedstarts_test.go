package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// onKind moves the runs to a backend, with these starts of the jobs 1, 2, ...
func onBackend(b trace.Backend, list []metric.Result, starts ...[]float64) []metric.Result {
	for i := range list {
		list[i].Run.Backend, list[i].Run.SlurmVersion = b, b.Series+".5"
		for id, start := range starts[i] {
			list[i].Jobs = append(list[i].Jobs, trace.FinishedJob{Job: workloads.Job{ID: id + 1}, Start: start})
		}
	}
	return list
}

// Two backends under one policy are the sides. What shows how truly they emulate is compared as well. Their starts by
// hand: of seed 1 the jobs are 0, 4 and 10 s apart, of seed 2 one is equal and one did not start on both sides.
func TestBackends(t *testing.T) {
	never := float64(trace.NeverStarted)
	a := onBackend(trace.Backend{Form: "frontend", Series: "24.11"}, runs("backfill", 6, 7), []float64{0, 10, 20}, []float64{5, never, 1})
	b := onBackend(trace.Backend{Form: "external", Series: "26.05"}, runs("backfill", 5.9, 6.91), []float64{0, 14, 10}, []float64{5, 3, never})
	c, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if c.Sides != (trace.Sides{Of: trace.OfBackends, A: "frontend-24.11", B: "external-26.05"}) || c.Policy != "backfill" {
		t.Errorf("got sides %+v, policy %q", c.Sides, c.Policy)
	}
	if d := find(t, c, "makespan_h"); d.Better != "external-26.05" || math.Abs(d.Mean+0.095) > 1e-9 {
		t.Errorf("got %+v", d)
	}
	find(t, c, "elapsed_error_max_s")
	want := []PairedStarts{
		{"seed 1", 3, 1, 0, Distribution{4, 10, 10}}, {"seed 2", 1, 1, 2, Distribution{}}, {"all", 4, 2, 2, Distribution{0, 10, 10}},
	}
	if !slices.Equal(c.Starts, want) {
		t.Errorf("got starts %+v, want %+v", c.Starts, want)
	}
	const sentence = "Of 4 jobs, 2 started in the same second on both sides (50 %); starts are apart by 0 s in the median, " +
		"10 s in the 95th percentile, and 10 s at most. 2 more jobs did not start on both sides."
	if got := c.StartsSummary(); got != sentence {
		t.Errorf("got %q, want %q", got, sentence)
	}
	if !strings.Contains(c.Summary(), "of workload V.2 on machine S under policy backfill: ") {
		t.Errorf("got %q", c.Summary())
	}
}

// Policies are compared without the starts, which they are to move, and a pair may differ
// in one thing alone.
func TestBackendsAndPolicies(t *testing.T) {
	a, b := onBackend(trace.Backend{Form: "frontend", Series: "24.11"}, runs("backfill", 6), []float64{0}), onBackend(trace.Backend{Form: "frontend", Series: "24.11"}, runs("auction", 5), []float64{1})
	c, err := Compare(a, b)
	if err != nil || c.Of != trace.OfPolicies || c.Starts != nil || c.StartsSummary() != "" {
		t.Errorf("got %+v, %v", c, err)
	}
	_, err = Compare(a, onBackend(trace.Backend{Form: "external", Series: "26.05"}, runs("auction", 5), []float64{1}))
	if err == nil || !strings.Contains(err.Error(), `differ in backend ("frontend" and "external"), slurm ("24.11" and "26.05")`) {
		t.Errorf("another policy on another backend: got error %v", err)
	}
	_, err = Compare(a, a)
	if err == nil || !strings.Contains(err.Error(), "both sides have policy backfill and backend frontend-24.11") {
		t.Errorf("one backend twice: got error %v", err)
	}
}

// Exchanging the backends changes no distance of starts; equal starts are all equal, and no
// distance is below the median of its half.
func TestStartsAreSymmetric(t *testing.T) {
	starts := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
		return float64(rapid.IntRange(trace.NeverStarted, 50).Draw(t, "start"))
	}), 6, 6), 3, 3)
	rapid.Check(t, func(t *rapid.T) {
		ofA, ofB := starts.Draw(t, "a"), starts.Draw(t, "b")
		a, b := onBackend(trace.Backend{Form: "frontend", Series: "24.11"}, runs("backfill", 6, 7, 8), ofA...), onBackend(trace.Backend{Form: "external", Series: "26.05"}, runs("backfill", 6, 7, 9), ofB...)
		ab, ba := pairedStarts(a, b), pairedStarts(b, a)
		if !slices.Equal(ab, ba) {
			t.Fatalf("%+v and %+v", ab, ba)
		}
		all := ab[len(ab)-1]
		jobs, equal := 0, 0
		for i, p := range ab[:len(ab)-1] {
			if p.Jobs+p.LeftOut != len(ofA[i]) || p.Equal > p.Jobs || p.Median > p.P95 || p.P95 > p.Max || p.Max > all.Max {
				t.Fatalf("%+v", p)
			}
			jobs, equal = jobs+p.Jobs, equal+p.Equal
		}
		if all.Jobs != jobs || all.Equal != equal || (all.Jobs == all.Equal) != (all.Max == 0) {
			t.Fatalf("all %+v", all)
		}
		for _, same := range pairedStarts(a, a) {
			if same.Equal != same.Jobs || same.Max != 0 {
				t.Fatalf("a run against itself: %+v", same)
			}
		}
	})
}
