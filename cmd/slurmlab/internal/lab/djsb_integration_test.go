//go:build integration

package lab

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/djsb/benchmark"
	"github.com/slurmlab/slurmlab/djsb/contention"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads"
)

// djsbSmall is a benchmark on four nodes, with a simulation of 60 s and analytics of 10 s.
func djsbSmall(t *testing.T, scenario workloads.Scenario, analyses ...int) Benchmark {
	t.Helper()
	const text = "num_of_samples: 2\nnum_of_ref_analysis: 1\nmachine: {nodes: 4}\n" +
		"simulation: {total_tasks: 16, total_memory: 16GiB, exec_time: 60s}\nanalysis: {total_tasks: 8, total_memory: 400MiB}\n"
	c, err := workloads.ParseDJSB("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c.Scenarios, c.NumOfDynAnalysis = []workloads.Scenario{scenario}, analyses
	return Benchmark{
		Image: cmp.Or(os.Getenv("IMAGE"), "slurmlab:latest"), Request: benchmark.Request{Config: c, Model: contention.Defaults(), Seed: 1},
		Warn: func(text string) { t.Error(text) },
	}
}

// run returns the samples of a benchmark under the jump clock, on core 0.
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
	s := b.Request.Config.Scenarios[0]
	err := b.Run(ctx, slurm.WithMachine(4, 16, 0), slurm.WithScheduler(conf.Scheduler{Type: conf.Backfill}), slurm.WithClock(clock.Settings{Kind: clock.KindJump}),
		slurm.WithCore(0), slurm.WithName(name), slurm.WithSharing(conf.Sharing{JobsPerCore: s.JobsPerCore(), Preemption: conf.Preemption(s.PreemptMode())}))
	if left, listErr := Containers(t.Context(), "", name); listErr != nil || len(left) > 0 {
		t.Errorf("containers left: %v, %v", left, listErr)
	}
	return trials, err
}

// worked wants a simulation that had its cores for 60 s since its last start: "suspended time
// does not count as progress, a resumed job ends when its work is done, not at start + runtime".
// Slurm's times are whole seconds.
func worked(t *testing.T, s djsb.Times) {
	t.Helper()
	if did := s.End - s.Start - s.Suspended; math.Abs(did-60) > 1 {
		t.Errorf("the simulation worked for %g s, want 60: %+v", did, s)
	}
}

// A payload that is killed fails its sample and no other; one that is suspended works as long as
// alone.
func TestDJSBKilledAndSuspended(t *testing.T) {
	b := djsbSmall(t, workloads.ScenarioStopContinue, 0, 1)
	// A sample takes about a second of real time, and so may the engine.
	b.Request.Config.NumOfSamples = 5
	name := filepath.Base(t.TempDir()) + "-djsb-killed"
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
			if trial.Simulation.Suspended < a.Execution() || math.Abs(a.Execution()-10) > 1 {
				t.Errorf("the simulation was suspended for %g s: %+v", trial.Simulation.Suspended, a)
			}
		}
	}
}

// "A requeued simulation begins anew": its work before is lost, from its first start to that of
// the analytics.
func TestDJSBRequeued(t *testing.T) {
	b := djsbSmall(t, workloads.ScenarioPreemptRequeue, 1)
	trials, err := b.run(t.Context(), t, filepath.Base(t.TempDir())+"-djsb-requeued", func(djsb.Event) {})
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

// Who is interrupted leaves no container.
func TestDJSBInterrupted(t *testing.T) {
	b := djsbSmall(t, workloads.ScenarioTimeSlices, 1)
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	begun := time.Now()
	trials, err := b.run(ctx, t, filepath.Base(t.TempDir())+"-djsb-stopped", func(e djsb.Event) {
		if e.Reference != nil {
			stop(ErrStopped)
		}
	})
	if !errors.Is(err, ErrStopped) || len(trials) > 1 {
		t.Errorf("after %v: %d samples, %v", time.Since(begun), len(trials), err)
	}
}
