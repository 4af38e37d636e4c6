package report

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/results/trace"
)

// elapsedTolerance is the largest error, in virtual seconds, that the
// emulation may make in a job's execution: two, one for Slurm's accounting in
// whole seconds at the start and one at the end.
const elapsedTolerance = 2

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
	if e := m.ElapsedError.Max; e > elapsedTolerance {
		out = append(out, fmt.Sprintf("The execution of a job differs from its run time by %s s; up to %d s come from whole-second accounting.",
			number(e), elapsedTolerance))
	}
	return out
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
