package compare

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// under is a run of a policy with these metrics.
func under(policy string, seed uint64, waiting, utilisation float64) metric.Result {
	r := metric.Result{Metrics: &metric.Metrics{CPUUtilization: utilisation}}
	r.Metrics.Waiting.Mean, r.Metrics.BoundedSlowdown.Mean = waiting, 1
	r.Run = trace.Run{Settings: trace.Settings{Policy: policy, Seed: seed, Machine: workloads.Machine{Name: "S"}}}
	return r
}

func frontsOf(runs ...metric.Result) []Front {
	return Fronts(runs, metric.FindMeasure("waiting_s"), metric.FindMeasure("cpu_utilization"), func(metric.Result) string { return "V.2" })
}

// Pareto's definition, with one metric that is better when lower and one when higher: "slow" waits as long as "good" and
// uses less, "other" waits longer and uses more.
func TestDominated(t *testing.T) {
	fronts := frontsOf(under("good", 1, 3600, 0.5), under("slow", 1, 3600, 0.4), under("other", 1, 7200, 0.6), under("good", 2, 1, 0))
	if len(fronts) != 1 || fronts[0].Replicas != 1 {
		t.Fatalf("got %+v, want one front over the seed that all have", fronts)
	}
	for i, want := range []bool{false, true, false} {
		if p := fronts[0].Points[i]; p.Dominated != want {
			t.Errorf("%+v: want dominated %v", p, want)
		}
	}
	// A mean is no finding: the sentence names the policy that is ahead, and never says better.
	waiting, utilisation := metric.FindMeasure("waiting_s"), metric.FindMeasure("cpu_utilization")
	fronts[0].Backend = trace.Backend{Form: "external", Series: "26.05"}
	want := "By the means of waiting time and CPU utilisation on V.2, machine S, backend external-26.05, good is ahead of slow. This is no test: see the verdicts."
	if got := fronts[0].Finding(waiting, utilisation); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if p := fronts[0].Points[0]; p.X != 1 || p.Y != 50 {
		t.Errorf("got %g, %g, want 1 h and 50 %%", p.X, p.Y)
	}
	if lone := frontsOf(under("good", 1, 1, 1)); lone != nil {
		t.Errorf("one policy alone has the front %+v", lone)
	}
	if apart := frontsOf(under("good", 1, 1, 1), under("slow", 2, 1, 1)); apart != nil {
		t.Errorf("policies without a seed in common have the front %+v", apart)
	}
}

// Some policy is never dominated, and each dominated one is so by one that is not.
func TestFrontIsNotEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(0, 4)
		var runs []metric.Result
		for _, policy := range []string{"a", "b", "c", "d", "e"} {
			runs = append(runs, under(policy, 1, float64(int(value.Draw(t, "waiting"))), float64(int(value.Draw(t, "utilisation")))))
		}
		points := frontsOf(runs...)[0].Points
		for _, p := range points {
			beaten := false
			for _, q := range points {
				beaten = beaten || !q.Dominated && q.X <= p.X && q.Y >= p.Y && (q.X < p.X || q.Y > p.Y)
			}
			if beaten != p.Dominated {
				t.Fatalf("%+v of %+v: beaten by a policy of the front %v", p, points, beaten)
			}
		}
	})
}
