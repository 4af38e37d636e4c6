package run

import (
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads/profile"
)

// Estimate is what a run may take, within a factor of two or three on a core that
// nothing else uses. Memory is in bytes.
type Estimate struct {
	Real, Virtual time.Duration
	Memory        int64
}

// The constants of an Estimate, in real time. docs/trust.md has the rule in words, TestEstimate the runs that it was
// measured on.
const (
	// startTime is that of booting a cluster, and of collecting and removing it.
	startTime = 2 * time.Second
	// idleSpeed is how fast the jump clock passes time in which nothing happens.
	idleSpeed = 2900
	// usual is the utilisation of a machine that always has jobs waiting.
	usual = 0.7
	// bootMemory is the memory of a cluster that has booted. nodeMemory is what an agent and its solver take for each
	// node beside agentMemory, by the runs of docs/records/023-campaigns. jobMemory is what each job leaves in the
	// daemons and files (docs/design/018-limits.md). programMemory, for an agent with a program of the papers or of
	// the user, is assumed and was not measured.
	bootMemory, jobMemory, agentMemory, nodeMemory, programMemory = 240 << 20, 128 << 10, 32 << 20, 48 << 10, 512 << 20
)

// Estimate guesses how long the run takes.
func (c Config) Estimate() Estimate {
	jobs := profile.Summarise(c.Machine, c.Jobs)
	longest := 0
	for _, class := range jobs.Classes {
		longest = max(longest, class.Runtime.Max)
	}
	virtual := max(jobs.Theoretical/usual, float64(jobs.LastArrival+longest))
	// Of jobs that arrive at once half wait on average; of those that arrive as fast as
	// they end, none.
	queue := float64(len(c.Jobs)) / 2 * max(0, 1-float64(jobs.LastArrival)/virtual)
	think := float64(len(c.Jobs)) * c.thinking(queue)
	real := think + virtual/idleSpeed
	switch c.Clock.Kind {
	case clock.KindReal:
		real = virtual
	case clock.KindScaled:
		real = max(think, virtual/c.Clock.TimeScale)
	}
	return Estimate{Real: startTime + seconds(real), Virtual: seconds(virtual), Memory: c.memory()}
}

// memory is how many bytes the run's cluster takes: by recorded runs of its shape, or by a rule.
func (c Config) memory() int64 {
	if c.Measured > 0 {
		return c.Measured
	}
	bytes := bootMemory + int64(len(c.Jobs))*jobMemory
	switch {
	case !c.Policy.HasAgent():
	case c.Policy.Parameters.Method == policy.MethodAuction:
		bytes += agentMemory + int64(c.Machine.Nodes)*nodeMemory
	default:
		bytes += programMemory
	}
	if backend.All().Check(c.Backend) != nil {
		return bytes
	}
	nodes := c.Backend.Nodes(conf.Spec{Nodes: c.Machine.Nodes, Cores: c.Machine.Cores, GPUs: c.Machine.GPUs})
	return bytes + int64(c.Machine.Nodes)*nodes.PerNode.Memory
}

// Learn sets Measured of each run to the most that complete runs of its shape took, which were found in the places of
// these.
func Learn(configs []Config, found []ExistingRun) error {
	shapes, most := make([]string, len(configs)), map[string]int64{}
	for i, c := range configs {
		s, err := c.Settings()
		if err == nil {
			shapes[i], err = ShapeOf(s)
		}
		if err != nil {
			return err
		}
		if found[i].State == StateComplete {
			most[shapes[i]] = max(most[shapes[i]], found[i].Memory)
		}
	}
	for i := range configs {
		configs[i].Measured = most[shapes[i]]
	}
	return nil
}

// thinking is the real seconds that the schedulers of a cluster compute for each job
// while so many wait on average.
func (c Config) thinking(queue float64) float64 {
	nodes := float64(c.Machine.Nodes)
	switch {
	case c.Policy.Scheduler.Type == conf.Backfill || !c.Policy.HasAgent():
		return 0.08 + 1.5e-4*nodes + 1e-8*nodes*nodes*queue
	case c.Policy.Parameters.Method == policy.MethodAuction:
		return 0.25
	default:
		return 3
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
