package report

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/results/trace"
)

const (
	// elapsedTolerance is the largest error, in virtual seconds, that the
	// emulation may make in a job's execution: two, one for Slurm's accounting in
	// whole seconds at the start and one at the end.
	elapsedTolerance = 2
	// jumpTolerance is the same under a jump clock: a job that runs exactly its
	// time plus a moment ends in the next second when that moment crosses one,
	// and there are no larger moments, because time does not run away from who
	// starts and ends jobs.
	jumpTolerance = 1
	// quietShare is the part of the real time that others may take from the
	// core before its thinking times are doubtful.
	quietShare = 0.02
)

// warning is one reason to doubt a number. Run and Anchor are empty when it is
// about all runs together.
type warning struct {
	Run, Anchor, Text string
}

// runWarnings lists what speaks against the numbers of one run.
func runWarnings(r Run, c cycleTotals) []string {
	if !r.complete() {
		return []string{fmt.Sprintf("The run is %s and has no metrics: %s", r.Data.Run.Status, orNothing(r.Data.Run.Reason))}
	}
	var out []string
	addIf := func(count int, format string, args ...any) {
		if count > 0 {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	m := *r.Metrics
	addIf(m.Failed, "%s did not complete: %s.", plural(m.Failed, "job"), countTexts(failedStates(r.Data.Jobs)))
	if p := m.Placement; p != nil {
		addIf(p.Checked-p.Exact, "%s of %d checked placements differ from the plan.", count(p.Checked-p.Exact), p.Checked)
		missing := startedJobs(r.Data.Jobs) - p.Checked
		addIf(missing, "The placement of %s was not checked.", plural(missing, "started job"))
	}
	addIf(len(c.refused), "Slurm refused %s: %s.", plural(len(c.refused), "release"), countTexts(reasons(c.refused)))
	addIf(len(c.reheld), "%s did not start in time and went back to the queue: %s.",
		plural(len(c.reheld), "released job"), countTexts(reasons(c.reheld)))
	addIf(c.bidsCut, "The limit on bids cut %s; better assignments may have been among them.", plural(c.bidsCut, "bid"))
	tolerance := elapsedTolerance
	if r.Data.Run.Clock == trace.ClockJump {
		tolerance = jumpTolerance
	}
	if e := m.ElapsedError.Max; e > float64(tolerance) {
		out = append(out, fmt.Sprintf("The execution of a job differs from its run time by %s s; up to %d s come from whole-second accounting.",
			number(e), tolerance))
	}
	if r.Data.Run.Backfilled() {
		out = append(out, queueWarnings(r.Data.Sdiag)...)
	}
	return append(out, clockWarnings(r.Data.Run)...)
}

// queueWarnings doubts that Slurm's backfill looked at every waiting job
// in each of its passes: a baseline that does not is weaker than it could be.
func queueWarnings(s *trace.Sdiag) []string {
	switch {
	case s == nil:
		return []string{"There is no sdiag.txt: nothing shows that the backfill passes reached the end of the queue."}
	case s.Cycles == 0:
		return nil
	case s.Exits == nil:
		return []string{"sdiag.txt does not say why backfill passes ended: nothing shows that they reached the end of the queue."}
	}
	early := s.Early()
	if len(early) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d backfill passes ended before the end of the queue (%s): jobs behind were not looked at.",
		exitCount(early), s.Cycles, exitTexts(early))}
}

// backfillPasses says how many there were and whether sdiag proves that they
// looked at every job.
func backfillPasses(s trace.Sdiag) string {
	switch {
	case s.Cycles == 0:
		return "0"
	case s.Exits == nil:
		return fmt.Sprintf("%d, unknown why they ended", s.Cycles)
	case len(s.Early()) == 0:
		return fmt.Sprintf("%d, all to the end of the queue", s.Cycles)
	default:
		return fmt.Sprintf("%d, %d not to the end of the queue (%s)", s.Cycles, exitCount(s.Early()), exitTexts(s.Early()))
	}
}

func exitCount(exits []trace.Exit) int {
	n := 0
	for _, e := range exits {
		n += e.Count
	}
	return n
}

func exitTexts(exits []trace.Exit) string {
	counts := make(map[string]int)
	for _, e := range exits {
		counts[e.Reason] += e.Count
	}
	return countTexts(counts)
}

// clockWarnings lists what speaks against the virtual time of a run.
func clockWarnings(run trace.Run) []string {
	var out []string
	if run.Clock == trace.ClockJump && run.Core == nil {
		out = append(out, "The cluster had no core of its own: what others computed beside it counts as its own thinking, and nobody knows how much that was.")
	}
	if run.Clock == trace.ClockJump && run.Fidelity == nil {
		out = append(out, "The run has no record of its jumps: nothing shows that its virtual time was kept.")
	}
	if f := run.Fidelity; f != nil && !quiet(run) {
		out = append(out, fmt.Sprintf("The core was not quiet: other programs used %s s of it and the hypervisor took %s s, together %s of the real time. That counts as thinking of the cluster.",
			number(f.ForeignSeconds), number(f.StolenSeconds), percent((f.ForeignSeconds+f.StolenSeconds)/f.RealSeconds)))
	}
	if f := run.Fidelity; f != nil && f.Jump != nil && f.Jump.Restarts > 0 {
		out = append(out, fmt.Sprintf("The controller of the clock died and was replaced (%s); in between virtual time ran at the speed of real time.",
			plural(f.Jump.Restarts, "time")))
	}
	return out
}

// quiet reports whether others left the core to the cluster, as far as is known.
func quiet(run trace.Run) bool {
	f := run.Fidelity
	return f == nil || f.ForeignSeconds+f.StolenSeconds <= quietShare*f.RealSeconds
}

func count(n int) string { return fmt.Sprint(n) }

func startedJobs(jobs []trace.Job) int {
	n := 0
	for _, j := range jobs {
		if len(j.Allocated) > 0 {
			n++
		}
	}
	return n
}

func failedStates(jobs []trace.Job) map[string]int {
	states := make(map[string]int)
	for _, j := range jobs {
		if j.State != "COMPLETED" {
			states[j.State]++
		}
	}
	return states
}

func reasons(refusals []trace.Refusal) map[string]int {
	out := make(map[string]int)
	for _, r := range refusals {
		out[r.Reason]++
	}
	return out
}

// differenceWarnings names what differs between runs besides the policy, its
// solver and the seed: such runs do not show what a policy does.
func differenceWarnings(runs []Run) []warning {
	var out []warning
	var differ []string
	for _, field := range []struct {
		name  string
		value func(trace.Run) string
	}{
		{"machine", func(r trace.Run) string { return machineText(r.Machine) }},
		{"workload", func(r trace.Run) string { return r.Workload }},
		{"tool_version", func(r trace.Run) string { return r.ToolVersion }},
		{"git_revision", func(r trace.Run) string { return r.GitRevision }},
		{"image_id", func(r trace.Run) string { return r.ImageID }},
		{"slurm_version", func(r trace.Run) string { return r.SlurmVersion }},
		{"clock", func(r trace.Run) string { return r.Clock }},
		{"time_scale", func(r trace.Run) string { return number(r.TimeScale) }},
		{"think_scale", func(r trace.Run) string { return number(r.ThinkScale) }},
		{"having a core of their own", func(r trace.Run) string { return fmt.Sprint(r.Core != nil) }},
		{"quietness of the core", func(r trace.Run) string { return fmt.Sprint(quiet(r)) }},
	} {
		for _, r := range runs[1:] {
			if field.value(r.Data.Run) != field.value(runs[0].Data.Run) {
				differ = append(differ, field.name)
				break
			}
		}
	}
	if len(differ) > 0 {
		out = append(out, warning{Text: "The runs differ in " + strings.Join(differ, ", ") +
			": differences of their metrics may not come from the policies."})
	}
	if len(differ) == 0 && len(runs) == 2 && runs[0].complete() && runs[1].complete() && !sameWork(runs[0], runs[1]) {
		out = append(out, warning{Text: "The two runs had different jobs: differences of their metrics do not come from the policies alone."})
	}
	return out
}
