package trace

import "slices"

// The policies under which Slurm schedules alone.
const (
	PolicyFIFO                = "fifo"
	PolicyBackfill            = "backfill"
	PolicyBackfillDefault     = "backfill-default"
	PolicyBackfillMultifactor = "backfill-multifactor"
)

// HasAgent reports whether our agent scheduled the run, so that it has cycles;
// otherwise Slurm did alone.
func (r Run) HasAgent() bool { return !r.Backfilled() && r.Policy != PolicyFIFO }

// Backfilled reports whether Slurm's sched/backfill scheduled the run, so that
// sdiag's backfill passes say how.
func (r Run) Backfilled() bool {
	return slices.Contains([]string{PolicyBackfill, PolicyBackfillDefault, PolicyBackfillMultifactor}, r.Policy)
}
