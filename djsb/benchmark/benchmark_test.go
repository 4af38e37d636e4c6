package benchmark_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/djsb/benchmark"
	"github.com/slurmlab/slurmlab/djsb/contention"
	"github.com/slurmlab/slurmlab/djsb/jobs"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads"
)

type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (clock) Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (bool, error) {
	select {
	case <-time.After(time.Until(until)):
		return false, nil
	case <-wake:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// machine runs so many jobs at a time, which disturb each other as a model says; without one
// they do not. Its jobs know when they were looked at last, so that nothing runs between the
// calls.
type machine struct {
	atOnce int
	model  *contention.Model
	node   contention.Node
	jobs   []*job
	// breaks fails the job of that number, from 1, after a second; refuses refuses to suspend.
	breaks  int
	refuses bool
	// most counts the jobs that ran at a time, asked the calls of Poll.
	most, asked int
	// ended, if there is one, is told a second before a job ends that nothing disturbs.
	ended chan struct{}
}

type job struct {
	jobs.Status
	// left is the work to be done, alone.
	left time.Duration
	load contention.Load
	seen time.Time
}

// rates are the speeds of all jobs now.
func (m *machine) rates() []float64 {
	rates := make([]float64, len(m.jobs))
	var there []int
	var loads []contention.Load
	for i, j := range m.jobs {
		if j.State == jobs.Running {
			rates[i] = 1
		}
		if j.State == jobs.Running || j.State == jobs.Suspended {
			there = append(there, i)
			j.load.Suspended = j.State == jobs.Suspended
			loads = append(loads, j.load)
		}
	}
	if m.model != nil {
		for k, rate := range m.model.Rates(m.node, loads) {
			rates[there[k]] = rate
		}
	}
	return rates
}

// advance is the work that takes so long at a rate.
func advance(d time.Duration, rate float64) time.Duration { return time.Duration(float64(d) * rate) }

// settle brings all jobs to the present.
func (m *machine) settle() {
	for {
		next, at := (*job)(nil), time.Now()
		rates := m.rates()
		for i, j := range m.jobs {
			if rates[i] == 0 {
				continue
			}
			if end := j.seen.Add(advance(j.left, 1/rates[i])); !end.After(at) {
				next, at = j, end
			}
		}
		for i, j := range m.jobs {
			j.left -= advance(at.Sub(j.seen), rates[i])
			j.seen = at
		}
		if next != nil {
			next.State, next.End = jobs.Completed, at
			if next.Reason != "" {
				next.State = jobs.Failed
			}
		}
		m.start(at)
		if next == nil {
			return
		}
	}
}

func (m *machine) start(at time.Time) {
	running := 0
	for _, j := range m.jobs {
		if j.State == jobs.Running {
			running++
		}
	}
	for _, j := range m.jobs {
		if j.State == jobs.Pending && running < m.atOnce {
			j.State, j.Start = jobs.Running, at
			running++
		}
	}
	m.most = max(m.most, running)
}

func (m *machine) Submit(_ context.Context, r jobs.Request) (string, error) {
	m.settle()
	var seconds int
	if _, err := fmt.Sscanf(r.Script, "#!/bin/bash\nsleep %d", &seconds); err != nil {
		return "", err
	}
	j := &job{Status: jobs.Status{State: jobs.Pending, Submit: time.Now()}, left: time.Duration(seconds) * time.Second, seen: time.Now()}
	if _, load, ok := strings.Cut(r.Script, "# "); ok {
		if err := json.Unmarshal([]byte(load), &j.load); err != nil {
			return "", err
		}
	}
	m.jobs = append(m.jobs, j)
	if m.ended != nil {
		time.AfterFunc(j.left-time.Second, func() {
			select {
			case m.ended <- struct{}{}:
			default:
			}
		})
	}
	if len(m.jobs) == m.breaks {
		j.left, j.Reason = time.Second, "it broke"
	}
	m.settle()
	return fmt.Sprint(len(m.jobs)), nil
}

func (m *machine) find(id string) *job {
	m.settle()
	var n int
	if _, err := fmt.Sscan(id, &n); err != nil {
		panic(err)
	}
	return m.jobs[n-1]
}

func (m *machine) Poll(_ context.Context, id string) (jobs.Status, error) {
	m.asked++
	return m.find(id).Status, nil
}

func (m *machine) Suspend(_ context.Context, id string) error {
	if m.refuses {
		return errors.New("suspend: not permitted")
	}
	m.find(id).State = jobs.Suspended
	m.settle()
	return nil
}

func (m *machine) Resume(_ context.Context, id string) error {
	m.find(id).State = jobs.Running
	return nil
}

func (m *machine) Cancel(_ context.Context, id string) error {
	j := m.find(id)
	j.State, j.End, j.Reason = jobs.Failed, time.Now(), "it was cancelled"
	m.settle()
	return nil
}

func configuration(t *testing.T, scenario workloads.Scenario, analyses ...int) workloads.DJSB {
	t.Helper()
	c, err := workloads.LoadDJSB("figure3")
	if err != nil {
		t.Fatal(err)
	}
	c.Scenarios, c.NumOfDynAnalysis = []workloads.Scenario{scenario}, analyses
	return c
}

// run runs a configuration on a machine in virtual time and returns its events.
func run(t *testing.T, ctx context.Context, c workloads.DJSB, m *machine) ([]djsb.Event, error) {
	t.Helper()
	var events []djsb.Event
	b := benchmark.Benchmark{
		Config: c, Scheduler: m, Clock: clock{}, Seed: 1, Poll: 100 * time.Millisecond, SlowPoll: time.Second, Ended: m.ended,
		Script: func(part benchmark.Part, a workloads.Application, scenario workloads.Scenario) string {
			load, err := json.Marshal(contention.Load{
				Nodes: []string{"n1"}, Threads: a.CPUsPerNode(), Memory: int64(a.MemoryPerNode()),
				Lends: part == benchmark.Simulation && scenario == workloads.ScenarioCooperative,
			})
			if err != nil {
				t.Error(err)
			}
			return fmt.Sprintf("#!/bin/bash\nsleep %d\n# %s\n", int(a.ExecTime.Seconds()), load)
		},
		Emit: func(e djsb.Event) error { events = append(events, e); return nil },
	}
	err := b.Run(ctx)
	m.settle()
	for i, j := range m.jobs {
		if !j.State.Ended() {
			t.Errorf("job %d is left: %+v", i+1, j.Status)
		}
	}
	return events, err
}

// "The reference time is computed as the average of the several executions"; Table 1: 3 samples,
// 1 simulation and 2 reference analytics in each.
func TestStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{atOnce: 1}
		events, err := run(t, t.Context(), configuration(t, workloads.ScenarioQueue, 0, 2), m)
		if err != nil || len(events) != 1+2*3 {
			t.Fatalf("got %d events, %v", len(events), err)
		}
		if ref := events[0].Reference; ref == nil || ref.Simulation != 300 || ref.Analysis != 10 {
			t.Errorf("got %+v", events[0].Reference)
		}
		// Reference: 3 x (1 + 2); then 3 samples without and 3 with two analytics.
		if got := len(m.jobs); got != 9+3+9 || m.most != 1 {
			t.Errorf("got %d jobs, %d at a time", got, m.most)
		}
		for i, e := range events[1:] {
			if e.Trial == nil || e.Trial.Number != i%3+1 || e.Trial.NumOfDynAnalysis != []int{0, 2}[i/3] || len(e.Trial.Analyses) != e.Trial.NumOfDynAnalysis {
				t.Errorf("event %d: got %+v", i+1, e.Trial)
			}
		}
	})
}

// What each scenario does to jobs that do not disturb each other: in the queue the analytics
// wait for the simulation's end, by oversubscription and lending nobody waits, by
// stop&continue the simulation stands for as long as the analytics run.
func TestScenarios(t *testing.T) {
	sleeps := map[workloads.Scenario][]float64{}
	for _, tc := range []struct {
		scenario workloads.Scenario
		atOnce   int
	}{{workloads.ScenarioQueue, 1}, {workloads.ScenarioOversubscription, 2}, {workloads.ScenarioStopContinue, 1}, {workloads.ScenarioCooperative, 2}} {
		synctest.Test(t, func(t *testing.T) {
			events, err := run(t, t.Context(), configuration(t, tc.scenario, 6), &machine{atOnce: tc.atOnce})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events[1:] {
				s := e.Trial.Sample
				if s.Failed != "" || len(s.Analyses) != 6 || s.Simulation.Submit != 0 {
					t.Fatalf("%s: got %+v", tc.scenario, s)
				}
				stopped, before := 0.0, s.Simulation.Start
				for _, a := range s.Analyses {
					if tc.scenario == workloads.ScenarioQueue {
						if a.Start < s.Simulation.End {
							t.Errorf("%s: got %+v within %+v", tc.scenario, a, s.Simulation)
						}
						sleeps[tc.scenario] = append(sleeps[tc.scenario], a.Submit-before)
						before = a.Submit
						continue
					}
					if a.Wait() != 0 || a.Execution() != 10 {
						t.Errorf("%s: got %+v", tc.scenario, a)
					}
					sleeps[tc.scenario] = append(sleeps[tc.scenario], a.Submit-before)
					before = a.End
					stopped += a.Execution()
				}
				want := 300.0
				if tc.scenario == workloads.ScenarioStopContinue {
					want += stopped
				}
				if s.Simulation.Execution() != want {
					t.Errorf("%s: the simulation took %g s, want %g", tc.scenario, s.Simulation.Execution(), want)
				}
			}
		})
	}
	queue := sleeps[workloads.ScenarioQueue]
	if slices.Min(queue) < 10 || slices.Max(queue) > 30 || slices.Min(queue) == slices.Max(queue) {
		t.Errorf("sleeps: got %v, want them drawn from 10 s..30 s", queue)
	}
	for scenario, got := range sleeps {
		if !slices.Equal(got, queue) {
			t.Errorf("%s: sleeps %v, want those of the queue, %v", scenario, got, queue)
		}
	}
}

// Whoever is told of ends asks but every SlowPoll, and is not late for that. Slurm tells of an end
// before the job has ended.
func TestToldOfEnds(t *testing.T) {
	samples, asked := map[bool]string{}, map[bool]int{}
	for _, told := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := &machine{atOnce: 2}
			if told {
				m.ended = make(chan struct{}, 1)
			}
			events, err := run(t, t.Context(), configuration(t, workloads.ScenarioOversubscription, 6), m)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events[1:] {
				samples[told] += fmt.Sprintf("%+v\n", *e.Trial)
			}
			asked[told] = m.asked
		})
	}
	if samples[true] != samples[false] {
		t.Errorf("told of ends: got %swant %s", samples[true], samples[false])
	}
	if asked[true]*4 > asked[false]*3 {
		t.Errorf("asked %d times, and %d times without being told", asked[true], asked[false])
	}
}

func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name    string
		machine *machine
		change  func(*workloads.DJSB)
		want    string
	}{
		{"a simulation that breaks", &machine{atOnce: 2, breaks: 10}, nil, "simulation: job 10 failed: it broke"},
		{"an analytics that breaks", &machine{atOnce: 2, breaks: 12}, nil, "analytics 2 of 2: job 12 failed: it broke"},
		{"an analytics that comes too late", &machine{atOnce: 2}, func(c *workloads.DJSB) {
			c.SleepMinTime.Duration, c.SleepMaxTime.Duration = 200*time.Second, 200*time.Second
		}, "analytics 2 of 2 came 1m50s after the simulation's end"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := configuration(t, workloads.ScenarioOversubscription, 2)
			if tc.change != nil {
				tc.change(&c)
			}
			events, err := run(t, t.Context(), c, tc.machine)
			if err != nil || len(events) != 4 {
				t.Fatalf("%s: got %d events, %v", tc.name, len(events), err)
			}
			if got := events[1].Trial.Failed; !strings.Contains(got, tc.want) {
				t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
			}
			if late := tc.machine.breaks == 0; (events[2].Trial.Failed != "") != late {
				t.Errorf("%s: the next sample: got %+v", tc.name, events[2].Trial)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		events, err := run(t, t.Context(), configuration(t, workloads.ScenarioStopContinue, 1), &machine{atOnce: 1, refuses: true})
		if err != nil || !strings.Contains(events[1].Trial.Failed, "not permitted") {
			t.Errorf("suspend not permitted: got %+v, %v", events, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		events, err := run(t, t.Context(), configuration(t, workloads.ScenarioQueue, 1), &machine{atOnce: 1, breaks: 1})
		if err == nil || !strings.Contains(err.Error(), "reference stage: job 1 failed: it broke") || len(events) != 0 {
			t.Errorf("a reference that breaks: got %+v, %v", events, err)
		}
	})
}

// Who is told to stop leaves no job behind.
func TestStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		go func() {
			// In the first sample, after the reference stage of 3 x (300 + 2 x 10) s.
			time.Sleep(1000 * time.Second)
			cancel(stopped)
		}()
		events, err := run(t, ctx, configuration(t, workloads.ScenarioOversubscription, 1), &machine{atOnce: 2})
		if !errors.Is(err, stopped) || len(events) != 1 {
			t.Errorf("got %d events, %v", len(events), err)
		}
	})
}
