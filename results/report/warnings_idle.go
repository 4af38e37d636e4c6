package report

import (
	"fmt"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

// willIdle says that jobs leave the machine idle, so that they have hardly anything to
// wait for; empty for others.
func willIdle(m workloads.Machine, jobs []workloads.Job) string {
	utilisation, idle := workloads.Idle(m, jobs)
	if !idle {
		return ""
	}
	return fmt.Sprintf("At most %s utilisation: these jobs leave the machine idle; waiting will be the scheduler's cycle, and policies will hardly differ.",
		text.Percent(utilisation))
}

// idleWarning says the same after a complete run, of what it measured; empty for a
// machine that was in use.
func idleWarning(r metric.Result) string {
	if len(r.Jobs) == 0 {
		return ""
	}
	jobs := make([]workloads.Job, len(r.Jobs))
	for i, j := range r.Jobs {
		jobs[i] = j.Job
	}
	if _, idle := workloads.Idle(r.Run.Machine, jobs); !idle {
		return ""
	}
	m := r.Metrics
	return fmt.Sprintf("%s utilisation: the machine is idle; waiting (%s s on average) is the scheduler's cycle, and policies hardly differ.",
		text.Percent(max(m.CPUUtilization, m.GPUUtilization)), text.Number(m.Waiting.Mean))
}
