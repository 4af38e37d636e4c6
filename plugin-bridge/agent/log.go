package agent

import "github.com/slurmlab/slurmlab/results/trace"

// log writes a line for each thing that went otherwise than planned. The error of
// the cycle is the caller's to log.
func (a *Agent) log(record trace.Cycle) {
	log := a.options.Log.With("cycle", record.Cycle)
	if record.SolverCause != "" {
		log.Warn("solution failed", "status", record.Solver, "cause", record.SolverCause)
	}
	for _, r := range record.Refused {
		log.Warn("Slurm refused a release", "job", r.Job, "reason", r.Reason)
	}
	for _, r := range record.Reheld {
		log.Warn("released job is held again", "job", r.Job, "reason", r.Reason)
	}
	for _, p := range record.Checked {
		if !p.Exact {
			log.Warn("job is placed otherwise than planned", "job", p.Job, "planned", p.Planned, "actual", p.Actual)
		}
	}
	for _, r := range record.Narrowed {
		log.Info("the program is not told of all that a job asks for", "job", r.Job, "what", r.Reason)
	}
	for _, r := range record.Unplaced {
		if r.Reason != "" {
			log.Info("job cannot be scheduled", "job", r.Job, "reason", r.Reason)
		}
	}
}
