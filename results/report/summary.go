package report

import (
	"fmt"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// all are the replicas, or without any the runs that are shown.
func (in Input) all() []metric.Result {
	if len(in.Replicas) == 0 {
		return in.Runs
	}
	var runs []metric.Result
	for _, side := range in.Replicas {
		runs = append(runs, side...)
	}
	return runs
}

// sides names the two sides that the replicas are of.
func (in Input) sides() trace.Sides {
	return trace.SidesOf(in.Replicas[0][0].Run.Settings, in.Replicas[1][0].Run.Settings)
}

// summary says what was run in a sentence, and in another one which of the replicas are
// shown one by one.
func summary(in Input) string {
	runs := in.all()
	complete := 0
	least, most := runs[0].Run.Jobs, runs[0].Run.Jobs
	for _, r := range runs {
		if r.Complete() {
			complete++
		}
		least, most = min(least, r.Run.Jobs), max(most, r.Run.Jobs)
	}
	line := text.Plural(len(runs), "run")
	if complete < len(runs) {
		line += fmt.Sprintf(" (%d complete)", complete)
	}
	first := runs[0].Run
	on := "machine " + machineText(first.Machine)
	for _, r := range runs[1:] {
		if r.Run.Workload != first.Workload {
			return line + "."
		}
		if r.Run.Machine.Equal(first.Machine) {
			continue
		}
		if len(in.Replicas) == 0 || in.sides().Of != trace.OfMachines {
			return line + "."
		}
		on = fmt.Sprintf("machines %s and %s", machineText(first.Machine), machineText(r.Run.Machine))
	}
	if n := len(in.Replicas); n > 0 {
		line += fmt.Sprintf(", %d of each %s,", len(runs)/n, in.sides().Of)
	}
	jobs := text.Plural(least, "job")
	if most > least {
		jobs = fmt.Sprintf("%d to %s", least, text.Plural(most, "job"))
	}
	line = fmt.Sprintf("%s of workload %s (%s) on %s.", line, first.Workload, jobs, on)
	if len(in.Replicas) > 0 {
		line += fmt.Sprintf(" Shown one by one are those of %s.", in.Runs[0].Run.Replica())
	}
	return line
}
