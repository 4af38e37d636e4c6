package benchmark

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Parameters are all that results in memory depend on besides the configuration.
type Parameters struct {
	Contention
	// StartDelay is what the scheduler takes to start a job, in seconds.
	StartDelay float64
}

// StartDelay is what Slurm takes to start a job here. The analytics of stop&continue, which nothing slows down, has a
// slowdown of 1.10 with 10 s of work (docs/design/019-djsb.md).
const StartDelay = 1.0

// poll is how often the benchmark asks, as in a cluster.
const poll = 250 * time.Millisecond

// InMemoryScenarios are those that the machine in memory can run: what Slurm's own preemption does, and
// who passes whom, is not modelled.
func InMemoryScenarios() []djsbconfig.Scenario {
	return []djsbconfig.Scenario{
		djsbconfig.ScenarioQueue, djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue, djsbconfig.ScenarioCooperative, djsbconfig.ScenarioKeptFree,
	}
}

// atOnce is the number of jobs that run at a time.
func atOnce(s djsbconfig.Scenario) int {
	if s == djsbconfig.ScenarioKeptFree {
		return 2
	}
	return s.JobsPerCore()
}

// InMemory runs those scenarios of a configuration that the machine can run.
func InMemory(ctx context.Context, c djsbconfig.DJSB, p Parameters, seed uint64) ([]djsb.Summary, error) {
	var all []djsb.Summary
	for _, scenario := range c.Scenarios {
		if !slices.Contains(InMemoryScenarios(), scenario) {
			continue
		}
		node := Node{Cores: c.Machine.Cores, Memory: int64(c.Machine.Memory)}
		m := NewMachine(p.Contention, node, atOnce(scenario), time.Duration(p.StartDelay*float64(time.Second)))
		one := c
		one.Scenarios = []djsbconfig.Scenario{scenario}
		var reference djsb.Reference
		trials := map[int][]djsb.Trial{}
		b := Benchmark{
			Config: one, Scheduler: m, Clock: m, Seed: seed, Poll: poll, SlowPoll: poll,
			Script: func(part Part, a djsbconfig.Application, scenario djsbconfig.Scenario) string {
				return MachineScript(part, Placed(c, p.Contention, part, a), scenario)
			},
			Emit: func(e djsb.Event) error {
				if e.Reference != nil {
					reference = *e.Reference
					return nil
				}
				e.Trial.Reference = reference
				trials[e.Trial.NumOfDynAnalysis] = append(trials[e.Trial.NumOfDynAnalysis], *e.Trial)
				return nil
			},
		}
		if err := b.Run(ctx); err != nil {
			return nil, fmt.Errorf("run %s in memory: %w", scenario, err)
		}
		for _, n := range c.NumOfDynAnalysis {
			all = append(all, djsb.Summarise(scenario, djsb.JobsOf(c, scenario), n, trials[n]))
		}
	}
	return all, nil
}
