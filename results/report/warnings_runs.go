package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// WarningsOfRun lists what speaks against the numbers of one run, a sentence or two each.
func WarningsOfRun(r metric.Result) []string {
	if !r.Complete() {
		return []string{fmt.Sprintf("The run is %s and has no metrics: %s", r.Run.Status, text.OrNothing(r.Run.Reason))}
	}
	var out []string
	addIf := func(count int, text string, args ...any) {
		if count > 0 {
			out = append(out, fmt.Sprintf(text, args...))
		}
	}
	for _, restart := range r.Run.Restarts {
		out = append(out, restart.Text()+".")
	}
	m, c := *r.Metrics, metric.TotalCycles(r.Cycles)
	if text := idleWarning(r); text != "" {
		out = append(out, text)
	}
	if past := r.Run.Continues; past != nil && len(past.Changed) > 0 {
		out = append(out, fmt.Sprintf("Up to %s the run went under other settings (%s), and all its metrics are of both parts.",
			text.Duration(past.Time), strings.Join(past.Changed, ", ")))
	}
	if p := r.Run.Program; p != nil && p.File == "" {
		out = append(out, fmt.Sprintf("The run has no copy of its program, which has %d MiB; run.json has its SHA-256.", p.Bytes>>20))
	}
	if r.Run.Victims != nil {
		out = append(out, fmt.Sprintf("Events killed %s.", r.Run.Victims.Names(r.Run.Jobs)))
	}
	if e := r.Run.Events; e != nil {
		addIf(e.Count-len(r.Run.Happened), "%s came after the end of the last job and did not happen.", text.Plural(e.Count-len(r.Run.Happened), "event"))
	}
	addIf(m.Failed, "%s did not end as planned: %s.", text.Plural(m.Failed, "job"), text.Counts(failedStates(r.Jobs)))
	if never := m.NeverStarted; never != nil {
		addIf(*never, "%s of %d never started: their waits are censored, and in no mean and no quantile.", text.Plural(*never, "job"), m.Jobs)
	}
	parts := partsOfGPUs(r.Jobs)
	addIf(parts, "The idle gaps, FGD and fragmentation of GPUs are unknown, as %s had shards or MPS: Slurm does not tell of which GPU.", text.Plural(parts, "started job"))
	if p := m.Placement; p != nil {
		addIf(p.Checked-p.Exact, "%s of %d checked placements differ from the plan.", strconv.Itoa(p.Checked-p.Exact), p.Checked)
		missing := len(trace.Started(r.Jobs)) - p.Checked
		addIf(missing, "The placement of %s was not checked.", text.Plural(missing, "started job"))
	}
	addIf(len(c.Refused), "Slurm refused %s: %s.", text.Plural(len(c.Refused), "release"), text.Counts(metric.Reasons(c.Refused)))
	addIf(len(c.Reheld), "%s did not start in time and went back to the queue: %s.",
		text.Plural(len(c.Reheld), "released job"), text.Counts(metric.Reasons(c.Reheld)))
	addIf(c.Failures, "The solver was lost, abandoned or failed in part in %s, which used the best assignment known by then: %s.",
		text.Plural(c.Failures, "cycle"), text.Counts(c.Causes))
	if len(c.Faults) > 0 {
		out = append(out, fmt.Sprintf("The program that schedules was at fault: %s. It was started again %s, and %s started jobs in the order of the queue without it.",
			text.Counts(c.Faults), text.Plural(c.Restarts, "time"), text.Plural(c.InOrder, "cycle")))
	}
	addIf(c.BidsCut, "The limit on bids dropped %s; better assignments may have been among them.", text.Plural(c.BidsCut, "bid"))
	if r.Run.Backfilled() {
		out = append(out, queueWarnings(r.Sdiag)...)
	}
	return append(out, clockWarnings(r.Run)...)
}

// partsOfGPUs counts the started jobs with a part of a GPU. Their AllocTRES has gres/shard or gres/mps and no gres/gpu (see metric.GPUsOf), unless
// they were exclusive and had whole GPUs.
func partsOfGPUs(jobs []trace.FinishedJob) int {
	n := 0
	for _, j := range trace.Started(jobs) {
		if j.Shards+j.MPS > 0 && !j.Exclusive {
			n++
		}
	}
	return n
}

func failedStates(jobs []trace.FinishedJob) map[string]int {
	states := make(map[string]int)
	for _, j := range jobs {
		if j.Lost() {
			states[j.State]++
		}
	}
	return states
}

// subjectOf is what runs are compared in: what tells the first one from the first that differs from it.
func subjectOf(runs []metric.Result) trace.Subject {
	subject := trace.OfPolicies
	for _, r := range runs[1:] {
		sides := trace.SidesOf(runs[0].Run.Settings, r.Run.Settings)
		switch {
		case sides.A == sides.B:
		case sides.Of == trace.OfPolicies:
			return trace.OfPolicies
		case subject == trace.OfPolicies:
			subject = sides.Of
		}
	}
	return subject
}

// WarningsOfRuns names what differs between the runs besides the seed, the window and what they are compared in: the
// policy, or under one policy the backend, the machine or the events. Such runs do not show what it does.
func WarningsOfRuns(runs []metric.Result) []string {
	if len(runs) < 2 {
		return nil
	}
	var settings trace.Differences
	core, quietness := false, false
	first := runs[0].Run
	subject := subjectOf(runs)
	free := trace.Sides{Of: subject}.Free()
	free.Tool, free.Policy, free.Seed, free.Window = false, true, true, true
	for _, r := range runs[1:] {
		settings = append(settings, first.Differences(r.Run.Settings, free)...)
		core = core || (r.Run.Core != nil) != (first.Core != nil)
		quietness = quietness || r.Run.QuietCore() != first.QuietCore()
	}
	differ := settings.Names()
	if core {
		differ = append(differ, "having a core of their own")
	}
	if quietness {
		differ = append(differ, "quietness of the core")
	}
	switch {
	case len(differ) > 0:
		return []string{"The runs differ in " + strings.Join(differ, ", ") +
			": differences of their metrics may not come from the " + subject.Plural() + "."}
	case len(runs) == 2 && runs[0].Complete() && runs[1].Complete() && !comparableIn(runs)(runs[0], runs[1]):
		return []string{"The two runs had different jobs: differences of their metrics do not come from the " + subject.Plural() + " alone."}
	default:
		return nil
	}
}
