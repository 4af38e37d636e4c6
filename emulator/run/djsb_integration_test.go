//go:build integration

package run

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// djsbSmall is a benchmark on four nodes, with a simulation of 60 s and analytics of 10 s.
func djsbSmall(t *testing.T, scenario djsbconfig.Scenario, analyses ...int) Benchmark {
	t.Helper()
	const text = "num_of_samples: 2\nnum_of_ref_analysis: 1\nmachine: {nodes: 4}\n" +
		"simulation: {total_tasks: 16, total_memory: 16GiB, exec_time: 60s}\nanalysis: {total_tasks: 8, total_memory: 400MiB}\n"
	c, err := djsbconfig.ParseDJSB("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c.Scenarios, c.NumOfDynAnalysis = []djsbconfig.Scenario{scenario}, analyses
	return Benchmark{
		Image: backendtest.Image(t, backendtest.FrontEnd()), Request: benchmark.Request{Config: c, Model: benchmark.DefaultContention(), Seed: 1},
		Warn: backendtest.Warnings(t, func(text string) { t.Error(text) }),
	}
}

// run returns the samples of a benchmark under the jump clock, on a core of its own.
func (b Benchmark) run(ctx context.Context, t *testing.T, name string, told func(djsb.Event)) ([]djsb.Trial, error) {
	t.Helper()
	var trials []djsb.Trial
	b.Emit = func(e djsb.Event) error {
		if e.Trial != nil {
			trials = append(trials, *e.Trial)
		}
		told(e)
		return nil
	}
	s, scheduler := b.Request.Config.Scenarios[0], conf.Scheduler{Type: conf.Backfill}
	if len(b.Request.Policy) > 0 {
		var p policy.Policy
		if err := json.Unmarshal(b.Request.Policy, &p); err != nil {
			t.Fatal(err)
		}
		scheduler = p.Scheduler
	}
	err := b.Run(ctx, slurm.WithBackend(backendtest.FrontEnd()), slurm.WithMachine(4, 16, 0), slurm.WithScheduler(scheduler), slurm.WithClock(clock.Settings{Kind: clock.KindJump}),
		slurm.WithCore(*ownCoreOf(t)), slurm.WithName(name), slurm.WithSharing(conf.Sharing{JobsPerCore: s.JobsPerCore(), Preemption: conf.Preemption(s.PreemptMode())}))
	if left, listErr := Containers(t.Context(), "", name); listErr != nil || len(left) > 0 {
		t.Errorf("containers left: %v, %v", left, listErr)
	}
	return trials, err
}

// late is how many seconds what a sample does may come late on a busy machine; what these tests tell apart differs by ten.
const late = 5

// worked wants a simulation that had its cores for 60 s since its last start: "suspended time does not count as
// progress, a resumed job ends when its work is done, not at start + runtime". Slurm's times are whole seconds, and
// on a busy machine a signal and an end come late.
func worked(t *testing.T, s djsb.Times) {
	t.Helper()
	if did := s.End - s.Start - s.Suspended; math.Abs(did-60) > late {
		t.Errorf("the simulation worked for %g s, want 60: %+v", did, s)
	}
}

// A payload that is killed fails its sample and no other; one that is suspended works as long as
// alone.
func TestDJSBKilledAndSuspended(t *testing.T) {
	t.Parallel()
	b := djsbSmall(t, djsbconfig.ScenarioStopContinue, 0, 1)
	// A sample takes about a second of real time, and so may the engine.
	b.Request.Config.NumOfSamples = 5
	name := ownName("djsb-killed")
	trials, err := b.run(t.Context(), t, name, func(e djsb.Event) {
		if e.Reference == nil {
			return
		}
		go func() {
			// Which sample it hits depends on how long the engine takes to start it.
			const kill = `until pkill -KILL -f '^[^ ]*slurmlabd djsb-payload'; do sleep 0.05; done`
			if out, err := dockerOn(t, name, "exec", "bash", "-c", kill); err != nil {
				t.Errorf("kill: %v: %s", err, out)
			}
		}()
	})
	if err != nil || len(trials) != 10 {
		t.Fatalf("got %d samples, %v", len(trials), err)
	}
	killed := slices.IndexFunc(trials, func(trial djsb.Trial) bool { return trial.Failed != "" })
	if killed < 0 || !strings.Contains(trials[killed].Failed, ": job ") || !strings.Contains(trials[killed].Failed, "exit code 0:9") {
		t.Fatalf("killed: got %+v", trials)
	}
	for _, trial := range slices.Delete(trials, killed, killed+1) {
		if trial.Failed != "" || len(trial.Analyses) != trial.NumOfDynAnalysis {
			t.Fatalf("got %+v", trial)
		}
		worked(t, trial.Simulation)
		for _, a := range trial.Analyses {
			// Suspended before the analytics starts, resumed after its end.
			if trial.Simulation.Suspended < a.Execution() || math.Abs(a.Execution()-10) > late {
				t.Errorf("the simulation was suspended for %g s: %+v", trial.Simulation.Suspended, a)
			}
		}
	}
}

// A requeued simulation loses its work, from its first start to the start of the analytics.
func TestDJSBRequeued(t *testing.T) {
	t.Parallel()
	b := djsbSmall(t, djsbconfig.ScenarioPreemptRequeue, 1)
	trials, err := b.run(t.Context(), t, ownName("djsb-requeued"), func(djsb.Event) {})
	if err != nil || len(trials) != 2 {
		t.Fatalf("got %d samples, %v", len(trials), err)
	}
	for _, trial := range trials {
		if trial.Failed != "" || len(trial.Analyses) != 1 {
			t.Fatalf("got %+v", trial)
		}
		s, a := trial.Simulation, trial.Analyses[0]
		worked(t, s)
		if s.Submit != 0 || s.Lost < 10 || s.Lost > a.Start || s.Start < a.End {
			t.Errorf("simulation %+v, analytics %+v", s, a)
		}
	}
}

// "The analytics jobs are submitted to the same job reservation" (DJSB section 4.1).
func TestDJSBReservation(t *testing.T) {
	t.Parallel()
	b := djsbSmall(t, djsbconfig.ScenarioOversubscription, 1)
	b.Request.Config.NumOfSamples, b.Request.Config.Reservation = 1, "djsb"
	name := ownName("djsb-reservation")
	trials, err := b.run(t.Context(), t, name, func(e djsb.Event) {
		if e.Trial == nil {
			return
		}
		out, err := dockerOn(t, name, "exec", "scontrol", "-o", "show", "job")
		jobs := strings.Count(string(out), "JobId=")
		if err != nil || jobs < 2 || strings.Count(string(out), " Reservation=djsb ") != jobs {
			t.Errorf("got %v, %s", err, out)
		}
	})
	if err != nil || len(trials) != 1 || trials[0].Failed != "" {
		t.Fatalf("got %+v, %v", trials, err)
	}
	// Both had the same nodes.
	if s, a := trials[0].Simulation, trials[0].Analyses[0]; a.Wait() > late || s.Execution() <= 60 {
		t.Errorf("simulation %+v, analytics %+v", s, a)
	}
}

// A simulation that waits behind an analytics. Backfill lets no later analytics pass it, the auction with a bound few
// of them, and without a bound all. Where half of the machine is kept free all is as with backfill. The simulation of
// 60 s takes 120 s on the other half. The analytics, which draws the bandwidth of two nodes in place of four, takes
// 20 s in place of 10 s beside it.
func TestDJSBPolicies(t *testing.T) {
	t.Parallel()
	// docs/djsb.md runs both scenarios under backfill and the auction.
	hosttest.Long(t, "runs the benchmark under three policies")
	const analyses = 4
	passed := map[string]int{}
	for name, bypass := range map[string]float64{"backfill": 2, "bounded": 1e-4, "unbounded": 0} {
		b := djsbSmall(t, djsbconfig.ScenarioWaiting, analyses)
		c := &b.Request.Config
		c.NumOfSamples, c.Scenarios = 1, append(c.Scenarios, djsbconfig.ScenarioKeptFree)
		// All come before the simulation of 120 s ends.
		c.SleepMinTime.Duration, c.SleepMaxTime.Duration = 0, time.Second
		p, err := policy.Find(policy.WholeQueue)
		if name != "backfill" {
			p, err = policy.Find(policy.Auction)
			p.Parameters.MaxBypass = bypass
		}
		if err == nil {
			b.Request.Policy, err = json.Marshal(p)
		}
		if err != nil {
			t.Fatal(err)
		}
		trials, err := b.run(t.Context(), t, ownName("djsb-"+name), func(djsb.Event) {})
		if err != nil || len(trials) != 2 || trials[0].Failed+trials[1].Failed != "" {
			t.Fatalf("%s: got %+v, %v", name, trials, err)
		}
		waiting, kept := trials[0], trials[1]
		first, s := waiting.Analyses[0], waiting.Simulation
		if s.Start < first.End {
			t.Errorf("%s: simulation %+v, first analytics %+v", name, s, first)
		}
		for _, a := range waiting.Analyses[1:] {
			if a.Submit < s.Submit {
				t.Errorf("%s: simulation %+v, analytics %+v", name, s, a)
			}
			if a.Start < s.Start {
				passed[name]++
			}
		}
		if s = kept.Simulation; math.Abs(s.Execution()-120) > late {
			t.Errorf("%s: got %+v", name, s)
		}
		for _, a := range kept.Analyses {
			if a.Start < s.Start || a.End > s.End || math.Abs(a.Execution()-20) > late {
				t.Errorf("%s: simulation %+v, analytics %+v", name, s, a)
			}
		}
	}
	if want := map[string]int{"bounded": 1, "unbounded": analyses - 1}; !maps.Equal(passed, want) {
		t.Errorf("passed the simulation: %v, want %v", passed, want)
	}
}

// Who is interrupted leaves no container.
func TestDJSBInterrupted(t *testing.T) {
	t.Parallel()
	// djsb.txtar interrupts the command.
	hosttest.Long(t, "interrupts the benchmark once more")
	b := djsbSmall(t, djsbconfig.ScenarioTimeSlices, 1)
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	begun := time.Now()
	trials, err := b.run(ctx, t, ownName("djsb-stopped"), func(e djsb.Event) {
		if e.Reference != nil {
			stop(ErrStopped)
		}
	})
	if !errors.Is(err, ErrStopped) || len(trials) > 1 {
		t.Errorf("after %v: %d samples, %v", time.Since(begun), len(trials), err)
	}
}

// A benchmark whose slurmlabd falls silent is declared dead, as a run is, and its cluster is removed.
func TestDJSBSilent(t *testing.T) {
	t.Parallel()
	b := djsbSmall(t, djsbconfig.ScenarioQueue, 0)
	// It must not be over before a busy machine has stopped it.
	b.Request.Config.NumOfSamples = 100
	b.silence = 10
	var said []string
	b.Warn = func(text string) {
		if strings.HasPrefix(text, backendtest.Silence) {
			said = append(said, text)
		}
	}
	name, stopped := ownName("djsb-silent"), false
	trials, err := b.run(t.Context(), t, name, func(e djsb.Event) {
		if e.Reference == nil || stopped {
			return
		}
		stopped = true
		if out, err := dockerOn(t, name, "exec", "pkill", "-STOP", "-f", "^slurmlabd djsb$"); err != nil {
			t.Errorf("stop slurmlabd: %v: %s", err, out)
		}
	})
	if err == nil || !strings.Contains(err.Error(), "slurmlabd gave no sign of life for 10 s; its container is running") {
		t.Errorf("after %d samples: got %v", len(trials), err)
	}
	if len(said) != 1 {
		t.Errorf("warned %q, want once that nothing was heard", said)
	}
}
