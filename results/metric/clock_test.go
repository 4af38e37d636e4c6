package metric

import (
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

// slurmctld measures with the run's clock. A scaled clock makes its computing look longer than it is, a jump clock
// with a CPU speed factor shorter (trace.Run: computing takes its real time divided by ThinkScale).
func TestBackfillCycle(t *testing.T) {
	stats := &accounting.Sdiag{Cycles: 5, MeanMicros: 4_000_000, MaxMicros: 8_000_000}
	for _, test := range []struct {
		clock       string
		time, think float64
		want        float64
	}{{"scaled", 20, 1, 0.2}, {"real", 1, 1, 4}, {"jump", 1, 1, 4}, {"jump", 1, 10, 40}, {"jump", 1, 0.5, 2}} {
		run := backfillRun(1)
		run.Clock, run.TimeScale, run.ThinkScale = test.clock, test.time, test.think
		c := backfillCycle(run, stats)
		if !near(*c.Mean, test.want) || !near(*c.Max, 2*test.want) || c.P99 != nil {
			t.Errorf("%+v: got %g %g %v", test, *c.Mean, *c.Max, c.P99)
		}
	}
	for _, unknown := range []*accounting.Sdiag{nil, {}} {
		if c := backfillCycle(backfillRun(1), unknown); c != (CycleCost{}) {
			t.Errorf("got %+v of %+v", c, unknown)
		}
	}
}

// The phases of an agent's pass are real under every clock.
func TestAgentCycleIsReal(t *testing.T) {
	for _, clock := range []string{"scaled", "jump", "real"} {
		run := backfillRun(1)
		run.Policy, run.Parameters, run.Clock, run.ThinkScale = "auction", []byte(`{"window": 500}`), clock, 10
		m, err := Compute(run, []trace.FinishedJob{wholeJob(machineS(), 1, 0, 0, 100)}, []trace.Cycle{{SolveMS: 250}}, nil)
		if err != nil || *m.Cycle.Mean != 0.25 {
			t.Errorf("%s: got %v, %v", clock, m.Cycle.Mean, err)
		}
	}
}

// 400 virtual seconds in 8 real ones.
func TestClockOfMetrics(t *testing.T) {
	run := backfillRun(2)
	run.Clock, run.TimeScale, run.ThinkScale, run.RealSeconds = trace.ClockJump, 1, 4, 8
	jobs := []trace.FinishedJob{wholeJob(machineS(), 1, 0, 0, 100), wholeJob(machineS(), 2, 0, 100, 400)}
	m, err := Compute(run, jobs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Clock != "jump" || m.TimeScale != 1 || m.ThinkScale != 4 || m.RealSeconds != 8 || m.Speed == nil || *m.Speed != 50 {
		t.Errorf("got %+v, speed %v", m, m.Speed)
	}
	run.RealSeconds = 0
	if m, err = Compute(run, jobs, nil, nil); err != nil || m.Speed != nil {
		t.Errorf("speed %v of an unknown time, %v", m.Speed, err)
	}
}

// Only completed jobs count; late and early ends are errors alike.
func TestElapsedError(t *testing.T) {
	job := func(runtime, elapsed int, state string) trace.FinishedJob {
		j := trace.FinishedJob{State: state, Start: 1000, Finish: float64(1000 + elapsed)}
		j.Runtime = runtime
		return j
	}
	for _, test := range []struct {
		name string
		jobs []trace.FinishedJob
		want ElapsedError
	}{
		{"none", nil, ElapsedError{}},
		{"exact", []trace.FinishedJob{job(60, 60, "COMPLETED")}, ElapsedError{Exact: 1, WithinSecond: 1}},
		{"all kinds", []trace.FinishedJob{
			job(60, 60, "COMPLETED"), job(60, 61, "COMPLETED"), job(60, 59, "COMPLETED"), job(60, 66, "COMPLETED"),
			job(60, 5, "TIMEOUT"),
		}, ElapsedError{Mean: 2, Max: 6, Exact: 1, WithinSecond: 3}},
	} {
		if got := elapsedError(test.jobs); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}
