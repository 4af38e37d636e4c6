package report

import (
	"fmt"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/workloads"
)

// WarningsOfJobs lists what speaks, before a run, against it and the numbers that it will have.
func WarningsOfJobs(m workloads.Machine, jobs []workloads.Job) []string {
	var out []string
	for _, text := range []string{willIdle(m, jobs), tightLimits(jobs)} {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// tightLimits counts the jobs whose run time is their limit. Slurm looks for jobs at
// their limit every 30 s (PERIODIC_TIMEOUT in src/slurmctld/controller.c); if it looks in
// the second in which such a job ends, it kills it. Of 60 such jobs 21 were killed.
func tightLimits(jobs []workloads.Job) string {
	tight, first := 0, 0
	for _, j := range jobs {
		if j.Runtime < workloads.WholeMinutes(j.Limit) || j.Outcome == workloads.Timeout {
			continue
		}
		if tight++; tight == 1 {
			first = j.ID
		}
	}
	if tight == 0 {
		return ""
	}
	return fmt.Sprintf("The run time is the time limit of %s (the first is job %d): Slurm kills a job that it finds at its limit, which is chance, and the run is failed then. A limit a minute longer avoids that.",
		text.Plural(tight, "job"), first)
}
