package workloads

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The promise of specs/V.yaml: at least half the run time and two minutes, in
// whole minutes, and no minute more.
func TestDefaultLimitLeavesRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runtime := rapid.IntRange(1, 720*3600).Draw(t, "runtime")
		limit := defaultLimit().draw(stream{}, runtime)
		if limit%60 != 0 || 2*limit < 3*runtime+240 || 2*(limit-60) >= 3*runtime+240 {
			t.Fatalf("limit %d of run time %d", limit, runtime)
		}
	})
}

// Equally spaced quantiles: a quarter of the numbers lies between each two of
// five, uniformly.
func TestQuantiles(t *testing.T) {
	s, err := ParseSpec("s.yaml", []byte(oneType+"jobs: 20000\ntheoretical_runtime: 0s\nmax_cores: 0.1\n"+
		"runtime: {quantiles: [60s, 100s, 1000s, 1000s, 5000s]}\nlimit: {factors: [1, 2, 10], add: 0s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := s.Generate(machine(t, "S"), 1)
	if err != nil {
		t.Fatal(err)
	}
	runtimes, limits := map[string]float64{}, map[string]float64{}
	for _, j := range jobs {
		switch {
		case j.Runtime < 100:
			runtimes["first"]++
		case j.Runtime < 550:
			runtimes["second, low"]++
		case j.Runtime < 1000:
			runtimes["second, high"]++
		case j.Runtime <= 1000:
			runtimes["third"]++
		default:
			runtimes["fourth"]++
		}
		// Rounding to whole minutes moves a limit by less than one minute.
		switch ratio := float64(j.Limit-30) / float64(j.Runtime); {
		case j.Limit < j.Runtime || j.Limit > 10*j.Runtime+60 || j.Limit%60 != 0:
			t.Errorf("got %+v", j)
		case j.Runtime < 1000:
		case ratio < 2:
			limits["below 2"]++
		case ratio < 6:
			limits["2 to 6"]++
		default:
			limits["6 to 10"]++
		}
	}
	// The 0.1 % points with 4 and 2 degrees of freedom.
	want := map[string]float64{"first": 0.25, "second, low": 0.125, "second, high": 0.125, "third": 0.25, "fourth": 0.25}
	if chi := chiSquared(runtimes, want); chi > 18.47 {
		t.Errorf("run times: chi-squared %.1f of %v", chi, runtimes)
	}
	if chi := chiSquared(limits, map[string]float64{"below 2": 0.5, "2 to 6": 0.25, "6 to 10": 0.25}); chi > 13.82 {
		t.Errorf("limits: chi-squared %.1f of %v", chi, limits)
	}
}

// The distribution of limits does not change the jobs.
func TestLimitsHaveTheirOwnStream(t *testing.T) {
	jobs := func(limit Limit) []Job {
		s := defaultSpec("s")
		s.Types = []JobType{{Class: "a", Share: 1}}
		s.EstimatedRuntime, s.Limit = Duration{time.Hour}, limit
		jobs, err := s.Generate(machine(t, "S"), 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range jobs {
			jobs[i].Limit = 0
		}
		return jobs
	}
	plain, drawn := jobs(defaultLimit()), jobs(Limit{Factors: []float64{1, 10}})
	for i := range plain {
		if plain[i] != drawn[i] {
			t.Fatalf("got %+v and %+v", plain[i], drawn[i])
		}
	}
}

func TestBadTimes(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{"runtime: {quantiles: [60s]}", "s.yaml:2: runtime.quantiles: got 1 durations, allowed 2..1001"},
		{"runtime: {quantiles: [60s, 30s, 90s]}", "s.yaml:2: runtime.quantiles[1]: got 30s, allowed 1m0s..720h0m0s in steps of 1s"},
		{"runtime: {quantiles: [60s, 90s], min: 1s}", "s.yaml:2: runtime.min: got 1s, allowed the first of quantiles, or none"},
		{"runtime: {quantiles: [60s, 90s], max: 100s}", "s.yaml:2: runtime.max: got 1m40s, allowed the last of quantiles, or none"},
		{"runtime: {quantiles: [60s, 90]}", "s.yaml:2: runtime.quantiles[1]: got 90, allowed a duration with its unit, like 90s, 10m or 4h"},
		{"limit: {factors: [2]}", "s.yaml:2: limit.factors: got 1 numbers, allowed 2..1001"},
		{"limit: {factors: [2, 1]}", "s.yaml:2: limit.factors[1]: got 1, allowed 1..10, with at most 6 decimals, none below the one before"},
		{"limit: {factors: [0, 1]}", "s.yaml:2: limit.factors[0]: got 0, allowed 1..10, with at most 6 decimals, none below the one before"},
		{"limit: {factors: [1, 2], factor: 2}", "s.yaml:2: limit.factor: got 2, allowed none beside factors"},
		{"limit: {factor: 0}", "s.yaml:2: limit.factor: got 0, allowed 1..10, with at most 6 decimals"},
	} {
		_, err := ParseSpec("s.yaml", []byte(oneType+tc.line+"\n"))
		wantError(t, err, tc.want)
	}
}
