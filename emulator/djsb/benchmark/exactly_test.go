package benchmark_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// whole is a scheduler that tells whole seconds, as Slurm does: submit_time, start_time and end_time of job_record_t are
// time(NULL) (src/slurmctld/job_mgr.c). Its applications say when they compute.
type whole struct {
	*watched
	// starts is how long an application takes from its start until it computes, tells how late its end is noticed.
	starts, tells time.Duration
	told          map[string]int
}

func (w *whole) Poll(ctx context.Context, id string) (benchmark.Status, error) {
	s, err := w.watched.Poll(ctx, id)
	for _, at := range []*time.Time{&s.Submit, &s.Start, &s.End} {
		*at = at.Truncate(time.Second)
	}
	return s, err
}

func (w *whole) changes() (out []benchmark.Change) {
	for _, id := range w.ids {
		s, err := w.Machine.Poll(context.Background(), id)
		if err != nil {
			panic(err)
		}
		if begun := s.Start.Add(w.starts); w.told[id] == 0 && !s.Start.IsZero() && !begun.After(w.Now()) {
			out, w.told[id] = append(out, benchmark.Change{ID: id, At: begun, Cores: 1}), 1
		}
		if w.told[id] == 1 && s.State.Ended() && !s.End.Add(w.tells).After(w.Now()) {
			out, w.told[id] = append(out, benchmark.Change{ID: id, At: s.End}), 2
		}
	}
	return out
}

// wholeRun runs one sample of the queue with one analytics.
func wholeRun(ctx context.Context, c djsbconfig.DJSB, w *whole, exact bool) (events []djsb.Event, err error) {
	w.told = map[string]int{}
	b := benchmark.Benchmark{
		Config: c, Scheduler: w, Clock: w, Poll: 100 * time.Millisecond, SlowPoll: 300 * time.Millisecond, Script: w.script, WholeSeconds: exact,
		Emit: func(e djsb.Event) error { events = append(events, e); return nil },
	}
	if exact {
		b.Changes = w.changes
	}
	err = b.Run(ctx)
	return events, err
}

func brief(t *testing.T, simulation, analysis time.Duration) djsbconfig.DJSB {
	t.Helper()
	c := configuration(t, djsbconfig.ScenarioQueue, 1)
	c.NumOfSamples, c.NumOfRefAnalysis = 1, 1
	c.SleepMinTime.Duration, c.SleepMaxTime.Duration = time.Second, time.Second
	c.Simulation.ExecTime.Duration, c.Analysis.ExecTime.Duration = simulation, analysis
	return c
}

// An analytics of 0.4 s starts and ends in one of Slurm's seconds. Its reference is 0.4 s all the same, and the sample counts.
func TestApplicationsShorterThanASecond(t *testing.T) {
	c := brief(t, 4*time.Second, 400*time.Millisecond)
	events, err := wholeRun(t.Context(), c, &whole{watched: newWatched(1)}, true)
	if err != nil || len(events) != 2 {
		t.Fatalf("got %d events, %v", len(events), err)
	}
	ref, trial := *events[0].Reference, events[1].Trial
	if ref.Simulation != 4 || ref.Analysis != 0.4 {
		t.Errorf("reference: got %+v, want 4 s and 0.4 s", ref)
	}
	m, err := djsb.Evaluate(trial.Scenario, djsb.JobsOf(c, trial.Scenario), ref, trial.Sample)
	// It was submitted a second after the simulation began, and waited for the other three.
	if err != nil || math.Abs(m.AnalysisExecution-0.4) > 1e-6 || m.AnalysisWait < 2.5 || m.AnalysisWait > 3.5 {
		t.Errorf("got %+v, %v from %+v", m, err, trial.Sample)
	}
}

// Where nobody knows better than whole seconds, the reference stage ends the benchmark: no sample could count.
func TestReferenceOfNoTime(t *testing.T) {
	events, err := wholeRun(t.Context(), brief(t, 4*time.Second, 400*time.Millisecond), &whole{watched: newWatched(1)}, false)
	if err == nil || !strings.Contains(err.Error(), "reference stage: the simulation took 4 s and the analytics 0 s") || len(events) != 0 {
		t.Errorf("got %d events, %v", len(events), err)
	}
}

// Whatever the times, none leaves its second by Slurm, and every job has taken some time: also when an application
// computes long after its start, and when its end is noticed late.
func TestTimesStayInTheirSeconds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		length := func(name string, least, most time.Duration) time.Duration {
			return time.Duration(rapid.Int64Range(int64(least/time.Millisecond), int64(most/time.Millisecond)).Draw(r, name)) * time.Millisecond
		}
		analysis := length("analysis", 50*time.Millisecond, 3*time.Second)
		w := &whole{
			watched: newWatched(1),
			starts:  min(length("starts", 0, 2*time.Second), analysis-10*time.Millisecond), tells: length("tells", 0, time.Second),
		}
		events, err := wholeRun(context.Background(), brief(t, length("simulation", 2*time.Second, 6*time.Second), analysis), w, true)
		if err != nil || len(events) != 2 || events[1].Trial.Failed != "" {
			r.Fatalf("got %+v, %v", events, err)
		}
		s := events[1].Trial.Sample
		// The sample has the last two jobs.
		ids := w.ids[len(w.ids)-2:]
		for i, got := range []djsb.Times{s.Simulation, s.Analyses[0]} {
			slurm, err := w.Poll(context.Background(), ids[i])
			if err != nil {
				r.Fatal(err)
			}
			first, _ := w.Machine.Poll(context.Background(), ids[0])
			for _, at := range []struct {
				got  float64
				want time.Time
			}{{got.Submit, slurm.Submit}, {got.Start, slurm.Start}, {got.End, slurm.End}} {
				// Times count from the first submission.
				if off := at.got - at.want.Sub(first.Submit).Seconds(); off < -1e-6 || off > 1+1e-6 {
					r.Errorf("job %d: %+v is not within the seconds of %+v", i, got, slurm)
				}
			}
			if got.Execution() <= 0 || got.Wait() < 0 {
				r.Errorf("job %d: got %+v", i, got)
			}
		}
	})
}
