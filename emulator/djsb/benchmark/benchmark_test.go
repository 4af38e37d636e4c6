package benchmark_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// watched is a machine in memory whose jobs do not disturb each other.
type watched struct {
	*benchmark.Machine
	// breaks fails the job of that number, from 1, after a second; refuses refuses to suspend.
	breaks  int
	refuses bool
	// deaf is how many orders to cancel a job fail.
	deaf int
	// tells makes Wait return a second before a job ends, and then at the next call.
	tells bool
	// tick, if there is one, is called whenever somebody waits.
	tick func(now time.Time)
	// ids of all jobs. told is what is still to be reported, asked counts the calls of Poll.
	ids   []string
	told  []time.Time
	asked int
	// asks, if there is one, may fail a call of Poll.
	asks func(context.Context) error
	// work of the next job.
	work time.Duration
}

func newWatched(atOnce int) *watched {
	return &watched{Machine: benchmark.NewMachine(benchmark.DefaultContention(), benchmark.Node{Cores: 1000, Memory: 1 << 50}, atOnce, 0)}
}

func (m *watched) script(part benchmark.Part, a djsbconfig.Application, scenario djsbconfig.Scenario) string {
	if len(m.ids)+1 == m.breaks {
		a.ExecTime.Duration = time.Second
	}
	m.work = a.ExecTime.Duration
	return benchmark.MachineScript(part, a, scenario)
}

func (m *watched) Submit(ctx context.Context, r benchmark.JobRequest) (string, error) {
	id, err := m.Machine.Submit(ctx, r)
	m.ids, m.told = append(m.ids, id), append(m.told, m.Now().Add(m.work-time.Second))
	return id, err
}

func (m *watched) Poll(ctx context.Context, id string) (benchmark.Status, error) {
	m.asked++
	if m.asks != nil {
		if err := m.asks(ctx); err != nil {
			return benchmark.Status{}, fmt.Errorf("poll job %s: %w", id, err)
		}
	}
	status, err := m.Machine.Poll(ctx, id)
	if status.State == benchmark.Completed && slices.Index(m.ids, id)+1 == m.breaks {
		status.State, status.Reason = benchmark.Failed, "it broke"
	}
	return status, err
}

func (m *watched) Suspend(ctx context.Context, id string) error {
	if m.refuses {
		return errors.New("suspend: not permitted")
	}
	return m.Machine.Suspend(ctx, id)
}

func (m *watched) Cancel(ctx context.Context, id string) error {
	if m.deaf > 0 {
		m.deaf--
		return errors.New("cancel: no answer")
	}
	return m.Machine.Cancel(ctx, id)
}

func (m *watched) Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (bool, error) {
	if m.tick != nil {
		m.tick(m.Now())
	}
	first := slices.MinFunc(append(m.told, until), time.Time.Compare)
	if wake == nil || first.Equal(until) {
		return m.Machine.Wait(ctx, until, wake)
	}
	err := m.Sleep(ctx, first.Sub(m.Now()))
	m.told = slices.DeleteFunc(m.told, func(at time.Time) bool { return !at.After(m.Now()) })
	return true, err
}

func configuration(t *testing.T, scenario djsbconfig.Scenario, analyses ...int) djsbconfig.DJSB {
	t.Helper()
	c, err := djsbconfig.LoadDJSB("figure3")
	if err != nil {
		t.Fatal(err)
	}
	c.Scenarios, c.NumOfDynAnalysis = []djsbconfig.Scenario{scenario}, analyses
	return c
}

// run runs a configuration on a machine and returns its events.
func run(t *testing.T, ctx context.Context, c djsbconfig.DJSB, m *watched) ([]djsb.Event, error) {
	t.Helper()
	var events []djsb.Event
	b := benchmark.Benchmark{
		Config: c, Scheduler: m, Clock: m, Seed: 1, Poll: 100 * time.Millisecond, SlowPoll: time.Second, Script: m.script,
		Emit: func(e djsb.Event) error { events = append(events, e); return nil },
	}
	if m.tells {
		b.Ended = make(chan struct{})
	}
	err := b.Run(ctx)
	for _, id := range m.ids {
		named := err != nil && strings.Contains(err.Error(), "job "+id+" may be left over")
		if status, pollErr := m.Machine.Poll(t.Context(), id); pollErr != nil || !status.State.Ended() && !named {
			t.Errorf("job %s is left: %+v, %v", id, status, pollErr)
		}
	}
	return events, err
}

// "The reference time is computed as the average of the several executions"; Table 1: 3 samples,
// 1 simulation and 2 reference analytics in each.
func TestStages(t *testing.T) {
	m := newWatched(1)
	events, err := run(t, t.Context(), configuration(t, djsbconfig.ScenarioQueue, 0, 2), m)
	if err != nil || len(events) != 1+2*3 {
		t.Fatalf("got %d events, %v", len(events), err)
	}
	if ref := events[0].Reference; ref == nil || ref.Simulation != 300 || ref.Analysis != 10 {
		t.Errorf("got %+v", events[0].Reference)
	}
	// Reference: 3 x (1 + 2); then 3 samples without and 3 with two analytics.
	if got := len(m.ids); got != 9+3+9 {
		t.Errorf("got %d jobs", got)
	}
	for i, e := range events[1:] {
		if e.Trial == nil || e.Trial.Number != i%3+1 || e.Trial.NumOfDynAnalysis != []int{0, 2}[i/3] || len(e.Trial.Analyses) != e.Trial.NumOfDynAnalysis {
			t.Errorf("event %d: got %+v", i+1, e.Trial)
		}
	}
}

// What each scenario does to jobs that do not disturb each other. In the queue the analytics wait for the
// simulation's end. By oversubscription and lending nobody waits. By stop&continue the simulation stands for as long
// as the analytics run.
func TestScenarios(t *testing.T) {
	sleeps := map[djsbconfig.Scenario][]float64{}
	for _, tc := range []struct {
		scenario djsbconfig.Scenario
		atOnce   int
	}{{djsbconfig.ScenarioQueue, 1}, {djsbconfig.ScenarioOversubscription, 2}, {djsbconfig.ScenarioStopContinue, 1}, {djsbconfig.ScenarioCooperative, 2}} {
		events, err := run(t, t.Context(), configuration(t, tc.scenario, 6), newWatched(tc.atOnce))
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
				if tc.scenario == djsbconfig.ScenarioQueue {
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
			if tc.scenario == djsbconfig.ScenarioStopContinue {
				want += stopped
			}
			if s.Simulation.Execution() != want {
				t.Errorf("%s: the simulation took %g s, want %g", tc.scenario, s.Simulation.Execution(), want)
			}
		}
	}
	queue := sleeps[djsbconfig.ScenarioQueue]
	if slices.Min(queue) < 10 || slices.Max(queue) > 30 || slices.Min(queue) == slices.Max(queue) {
		t.Errorf("sleeps: got %v, want them drawn from 10 s..30 s", queue)
	}
	for scenario, got := range sleeps {
		if !slices.Equal(got, queue) {
			t.Errorf("%s: sleeps %v, want those of the queue, %v", scenario, got, queue)
		}
	}
}

// A machine that runs one job at a time in the order of the queue. An analytics runs for 10 s, then the simulation,
// and after it the other analytics, which came right behind it. Times count from the first submission.
func TestWaitingSimulation(t *testing.T) {
	c := configuration(t, djsbconfig.ScenarioWaiting, 0, 3)
	c.NumOfSamples = 1
	events, err := run(t, t.Context(), c, newWatched(1))
	if err != nil || len(events) != 3 {
		t.Fatalf("got %d events, %v", len(events), err)
	}
	want := []djsb.Sample{
		{Simulation: djsb.Times{End: 300}},
		{Simulation: djsb.Times{Start: 10, End: 310}, Analyses: []djsb.Times{{End: 10}, {Start: 310, End: 320}, {Start: 320, End: 330}}},
	}
	for i, e := range events[1:] {
		if !reflect.DeepEqual(e.Trial.Sample, want[i]) {
			t.Errorf("got %+v, want %+v", e.Trial.Sample, want[i])
		}
	}
}

// With half of the nodes kept free the simulation has the bandwidth of half of them. So has an analytics, whose cores
// draw all of a node's. Both take twice their time. Where all cores are needed for that, the analytics has as much on
// half of the nodes as before.
func TestPlaced(t *testing.T) {
	c := configuration(t, djsbconfig.ScenarioKeptFree, 1)
	simulation, analysis := c.Applications(djsbconfig.ScenarioKeptFree)
	for saturating, want := range map[float64]time.Duration{0.5: 20 * time.Second, 1: 10 * time.Second} {
		m := benchmark.DefaultContention()
		m.Saturating = saturating
		s, a := benchmark.Placed(c, m, benchmark.Simulation, simulation), benchmark.Placed(c, m, benchmark.Analysis, analysis)
		if s.ExecTime.Duration != 10*time.Minute || a.ExecTime.Duration != want {
			t.Errorf("%g of the cores saturate the memory: got %s and %s, want 10m and %s", saturating, s.ExecTime, a.ExecTime, want)
		}
	}
	if got := benchmark.Placed(c, benchmark.DefaultContention(), benchmark.Simulation, c.Simulation); !reflect.DeepEqual(got, c.Simulation) {
		t.Errorf("where nothing changes: got %+v", got)
	}
}

// A scheduler that reports ends is asked only every SlowPoll, and the sample is not late for that. Slurm reports an
// end before the job has ended.
func TestToldOfEnds(t *testing.T) {
	samples, asked := map[bool]string{}, map[bool]int{}
	for _, told := range []bool{false, true} {
		m := newWatched(2)
		m.tells = told
		events, err := run(t, t.Context(), configuration(t, djsbconfig.ScenarioOversubscription, 6), m)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events[1:] {
			samples[told] += fmt.Sprintf("%+v\n", *e.Trial)
		}
		asked[told] = m.asked
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
		name string
		// breaks is the number of the job that fails, 0 for none.
		breaks int
		sleep  time.Duration
		want   string
	}{
		{"a simulation that breaks", 10, 20 * time.Second, "simulation: job 10 failed: it broke"},
		{"an analytics that breaks", 12, 20 * time.Second, "analytics 2 of 2: job 12 failed: it broke"},
		{"an analytics that comes too late", 0, 200 * time.Second, "analytics 2 of 2 came 1m50s after the simulation's end"},
	} {
		c, m := configuration(t, djsbconfig.ScenarioOversubscription, 2), newWatched(2)
		c.SleepMinTime.Duration, c.SleepMaxTime.Duration, m.breaks = tc.sleep, tc.sleep, tc.breaks
		events, err := run(t, t.Context(), c, m)
		if err != nil || len(events) != 4 {
			t.Fatalf("%s: got %d events, %v", tc.name, len(events), err)
		}
		if got := events[1].Trial.Failed; !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
		if late := tc.breaks == 0; (events[2].Trial.Failed != "") != late {
			t.Errorf("%s: the next sample: got %+v", tc.name, events[2].Trial)
		}
	}
	m := newWatched(1)
	m.refuses = true
	events, err := run(t, t.Context(), configuration(t, djsbconfig.ScenarioStopContinue, 1), m)
	if err != nil || !strings.Contains(events[1].Trial.Failed, "not permitted") {
		t.Errorf("suspend not permitted: got %+v, %v", events, err)
	}
	events, err = run(t, t.Context(), configuration(t, djsbconfig.ScenarioOversubscription, 1), newWatched(1))
	if err != nil || !strings.Contains(events[1].Trial.Failed, "analytics 1 of 1 waited until the simulation had ended") {
		t.Errorf("a system that lets an analytics wait: got %+v, %v", events, err)
	}
	// A scheduler that fails twice is asked again; what may be left over would disturb the next sample.
	for deaf, want := range map[int]string{2: "", 3: "job 10 may be left over: cancel: no answer"} {
		m = newWatched(2)
		m.breaks, m.deaf = 11, deaf
		events, err = run(t, t.Context(), configuration(t, djsbconfig.ScenarioOversubscription, 1), m)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || (len(events) == 4) != (want == "") {
			t.Errorf("deaf %d times: got %d events, %v", deaf, len(events), err)
		}
	}
	m = newWatched(1)
	m.breaks = 1
	events, err = run(t, t.Context(), configuration(t, djsbconfig.ScenarioQueue, 1), m)
	if err == nil || !strings.Contains(err.Error(), "reference stage: job 1 failed: it broke") || len(events) != 0 {
		t.Errorf("a reference that breaks: got %+v, %v", events, err)
	}
}

// A benchmark that is stopped leaves no job behind.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	m := newWatched(2)
	begun := m.Now()
	m.tick = func(now time.Time) {
		// In the first sample, after the reference stage of 3 x (300 + 2 x 10) s.
		if now.Sub(begun) >= 1000*time.Second {
			cancel(stopped)
		}
	}
	events, err := run(t, ctx, configuration(t, djsbconfig.ScenarioOversubscription, 1), m)
	if !errors.Is(err, stopped) || len(events) != 1 {
		t.Errorf("got %d events, %v", len(events), err)
	}

	ctx, cancel = context.WithCancelCause(t.Context())
	m = newWatched(1)
	m.asks = func(asked context.Context) error {
		if m.asked == 3 {
			cancel(stopped)
		}
		return context.Cause(asked)
	}
	_, err = run(t, ctx, configuration(t, djsbconfig.ScenarioQueue, 1), m)
	if err == nil || err.Error() != "reference stage: stopped" {
		t.Errorf("stopped while a question is asked: got %v", err)
	}
}
