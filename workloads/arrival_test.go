package workloads

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestArrival(t *testing.T) {
	arrivals := func(arrival string) []Job {
		s, err := ParseSpec("s.yaml", []byte(oneType+arrival))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := s.Generate(machine(t, "S"), 5)
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	once := arrivals("")
	fixed := arrivals("arrival: {process: fixed, interval: 2500ms}\n")
	random := map[string][]Job{
		"poisson":  arrivals("arrival: {process: poisson, interval: 30s}\n"),
		"gaussian": arrivals("arrival: {process: gaussian, interval: 30s, deviation: 10s}\n"),
	}
	for i := range once {
		if once[i].Arrival != 0 || fixed[i].Arrival != i*5/2 {
			t.Errorf("job %d: at once %d, fixed %d", i+1, once[i].Arrival, fixed[i].Arrival)
		}
		for process, jobs := range random {
			a, b := once[i], jobs[i]
			a.Arrival, b.Arrival = 0, 0
			if a != b {
				t.Errorf("%s changes job %d", process, i+1)
			}
		}
	}
	// Four standard errors of a mean of gaps.
	gaps := float64(len(once) - 1)
	for process, deviation := range map[string]float64{"poisson": 30, "gaussian": 10} {
		mean := float64(random[process][len(once)-1].Arrival) / gaps
		if math.Abs(mean-30) > 4*deviation/math.Sqrt(gaps) {
			t.Errorf("%s: mean gap %.1f s of %.0f gaps", process, mean, gaps)
		}
	}
	trace := arrivals("jobs: 4\narrival: {process: trace, times: [3, 3, 70, 71, 900]}\n")
	for i, want := range []int{3, 3, 70, 71} {
		if trace[i].Arrival != want {
			t.Errorf("trace: job %d at %d, want %d", i+1, trace[i].Arrival, want)
		}
	}
}

// For every process: as many arrivals as jobs, in order, those of First at 0,
// and the same again for the same seed.
func TestArrivalProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawArrival(t)
		n, seed := rapid.IntRange(1, 300).Draw(t, "jobs"), rapid.Uint64().Draw(t, "seed")
		times, err := a.times(n, seed)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := a.times(n, seed)
		if len(times) != n || !slices.IsSorted(times) || !slices.Equal(times, again) {
			t.Fatalf("got %v, then %v", times, again)
		}
		if first := min(n, max(1, a.First)); times[first-1] != 0 {
			t.Fatalf("the first %d do not arrive at 0: %v", first, times)
		}
	})
}

func drawArrival(t *rapid.T) Arrival {
	interval := Duration{time.Duration(rapid.IntRange(1, 60_000).Draw(t, "interval")) * time.Millisecond}
	first := rapid.IntRange(0, 60).Draw(t, "first")
	switch p := rapid.SampledFrom([]Process{AtOnce, Fixed, Gaussian, Poisson}).Draw(t, "process"); p {
	case AtOnce:
		return Arrival{Process: p}
	case Gaussian:
		deviation := time.Duration(rapid.Int64Range(1, interval.Milliseconds()).Draw(t, "deviation")) * time.Millisecond
		return Arrival{Process: p, Interval: interval, Deviation: Duration{deviation}, First: first}
	default:
		return Arrival{Process: p, Interval: interval, First: first}
	}
}

func TestBadArrival(t *testing.T) {
	for _, tc := range []struct{ arrival, want string }{
		{"{process: poisson}", "s.yaml:2: arrival.interval: missing, allowed 1ms..24h0m0s in steps of 1ms"},
		{"{interval: 5s}", "s.yaml:2: arrival.interval: got 5s, allowed none for process at-once"},
		{"{first: 5}", "s.yaml:2: arrival.first: got 5, allowed none for process at-once"},
		{"{process: gaussian, interval: 5s}", "s.yaml:2: arrival.deviation: missing, allowed 1ms..5s in steps of 1ms"},
		{"{process: gaussian, interval: 5s, deviation: 6s}", "s.yaml:2: arrival.deviation: got 6s, allowed 1ms..5s in steps of 1ms"},
		{"{process: fixed, interval: 5s, deviation: 1s}", "s.yaml:2: arrival.deviation: got 1s, allowed none for process fixed"},
		{"{process: fixed, interval: 5s, times: [1]}", "s.yaml:2: arrival.times: got 1 times, allowed none for process fixed"},
		{"{process: trace}", "s.yaml:2: arrival.times: missing, allowed at least one number of seconds"},
		{"{process: trace, times: [3, 2]}", "s.yaml:2: arrival.times[1]: got 2, allowed 3..31536000"},
		{"{process: trace, times: [3, x]}", `s.yaml:2: arrival.times[1]: got "x", allowed a whole number`},
	} {
		_, err := ParseSpec("s.yaml", []byte(oneType+"arrival: "+tc.arrival+"\n"))
		wantError(t, err, tc.want)
	}
	s, err := ParseSpec("s.yaml", []byte(oneType+"jobs: 3\narrival: {process: trace, times: [0, 1]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Generate(machine(t, "S"), 1)
	wantError(t, err, "generate workload s on machine S: got 3 jobs, allowed 2 (the number of arrival.times)")
}
