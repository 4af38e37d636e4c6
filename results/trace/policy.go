package trace

import (
	"bytes"
	"cmp"
)

// schedBackfill is the Run.SchedulerType of Slurm's backfill.
const schedBackfill = "sched/backfill"

// HasAgent reports whether our agent scheduled the run, so that it has cycles;
// otherwise Slurm did alone. Only an agent has parameters.
func (r Run) HasAgent() bool {
	parameters := bytes.TrimSpace(r.Parameters)
	return len(parameters) > 0 && !bytes.Equal(parameters, []byte("{}")) && !bytes.Equal(parameters, []byte("null"))
}

// Backfilled reports whether Slurm's sched/backfill scheduled the run, so that
// sdiag's backfill passes say how. Before Run.SchedulerType was recorded it was the
// only scheduler of Slurm's that there was.
func (r Run) Backfilled() bool {
	return !r.HasAgent() && cmp.Or(r.SchedulerType, schedBackfill) == schedBackfill
}
