package report

import (
	"fmt"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
)

// clockWarnings lists what speaks against the virtual time of a run.
func clockWarnings(run trace.Run) []string {
	var out []string
	if run.Clock == trace.ClockJump && run.Core == nil {
		out = append(out, "The cluster had no core of its own: what others computed beside it counts as its own thinking, and nobody knows how much that was.")
	}
	if run.Clock == trace.ClockJump && run.Fidelity == nil {
		out = append(out, "The run has no record of its jumps: nothing shows that its virtual time was kept.")
	}
	if f := run.Fidelity; f != nil && !run.QuietCore() {
		out = append(out, fmt.Sprintf("The core was not quiet: other programs used %s s of it and the hypervisor took %s s, together %s of the real time. That counts as thinking of the cluster.",
			text.Number(f.ForeignSeconds), text.Number(f.StolenSeconds), text.Percent((f.ForeignSeconds+f.StolenSeconds)/f.RealSeconds)))
	}
	if f := run.Fidelity; f != nil {
		for _, s := range f.Stops {
			out = append(out, stopped(s))
		}
	}
	if f := run.Fidelity; f != nil && f.Jump != nil && f.Jump.Restarts > 0 {
		out = append(out, fmt.Sprintf("The controller of the clock died and was replaced (%s); in between virtual time ran at the speed of real time.",
			text.Plural(f.Jump.Restarts, "time")))
	}
	if f := run.Fidelity; f != nil && f.Jump != nil && f.Jump.Standstills > 0 {
		out = append(out, fmt.Sprintf("The clock stood still although the cluster did not compute (%s, 20 s of real time or more each); virtual time then ran at the speed of real time.",
			text.Plural(f.Jump.Standstills, "time")))
	}
	return append(out, lateWarnings(run)...)
}

// lateWarnings reports what did not come in its time.
func lateWarnings(run trace.Run) []string {
	out := run.Lateness.Warnings()
	if run.ArrivalLagMax > trace.LateSeconds {
		out = append(out, fmt.Sprintf("A job was submitted %s s of virtual time after its arrival.", text.Number(run.ArrivalLagMax)))
	}
	if late := run.TooLate(); late != "" {
		out = append(out, fmt.Sprintf("The run counts as disturbed: %s, which is %s.", late, trace.LateLimit()))
	}
	return out
}

// stopped says what a stop did to the run.
func stopped(s trace.Stop) string {
	consequence := "virtual time went on without it."
	if s.Boot {
		consequence = "the cluster was not ready for jobs yet, and took longer to boot."
	}
	return fmt.Sprintf("%s was stopped for %s s of real time; %s", s.Process, text.Number(s.Seconds), consequence)
}
