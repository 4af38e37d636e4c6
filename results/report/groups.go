package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/trace"
)

// newGroups draws each group of complete runs of the same jobs on the same machine, or on any where machines are compared. The
// first one is open on the page.
func newGroups(runs []metric.Result) ([]Section, error) {
	comparable := comparableIn(runs)
	var members [][]metric.Result
	for _, r := range runs {
		if !r.Complete() {
			continue
		}
		found := false
		for i := range members {
			if found = comparable(members[i][0], r); found {
				members[i] = append(members[i], r)
				break
			}
		}
		if !found {
			members = append(members, []metric.Result{r})
		}
	}
	var out []Section
	for i, m := range members {
		figures, err := newFigures(m)
		if err != nil {
			return nil, err
		}
		first := m[0].Run
		var machines []string
		for _, r := range m {
			if !slices.Contains(machines, r.Run.Machine.Name) {
				machines = append(machines, r.Run.Machine.Name)
			}
		}
		word := "machine"
		if len(machines) > 1 {
			word = "machines"
		}
		group := Section{
			Title: fmt.Sprintf("Workload %s, %s, %s %s", first.Workload, first.Replica(), word, strings.Join(machines, " and ")),
			Class: "pictured", Figures: figures,
		}
		if i > 0 {
			group.Folded = "Pictures"
		}
		out = append(out, group)
	}
	return out, nil
}

// comparableIn says which runs are comparable: runs of the same jobs on the same machine, or on any where machines are compared.
func comparableIn(runs []metric.Result) func(a, b metric.Result) bool {
	if subjectOf(runs) == trace.OfMachines {
		return metric.Result.SameJobs
	}
	return metric.Result.SameWork
}

func newFigures(runs []metric.Result) ([]Figure, error) {
	schedules := make([]plot.Schedule, len(runs))
	for i, r := range runs {
		schedules[i] = plot.Schedule{Name: scheduleName(runs, i), Machine: r.Run.Machine, Jobs: r.Jobs}
	}
	var out []Figure
	for _, p := range pictures() {
		drawn, err := NewFigure(p.caption, func(w io.Writer) error { return p.draw(w, schedules...) })
		if err != nil {
			return nil, err
		}
		out = append(out, drawn)
	}
	return out, nil
}

// picture shows schedules: on the page below its caption, and in a file.
type picture struct {
	file    string
	draw    func(io.Writer, ...plot.Schedule) error
	caption string
}

func pictures() []picture {
	return []picture{
		{"gantt.svg", plot.Gantt, "Nodes by time. Each job has the same colour under every policy: cool for CPUs only, warm for GPUs. A striped job has only some cores of its nodes; grey is idle. The dashed line is the end of the last job."},
		{"load.svg", plot.Load, "Over time: the cores and the GPUs allocated, in per cent of all; the idle GPUs that a typical job of the workload cannot use; the jobs that wait."},
		{"waiting.svg", plot.WaitingECDF, "Share of the started jobs that waited at most this long. Further left and up is better."},
		{"sizes.svg", plot.WaitingBySize, "Waiting times of the started jobs by size: up to 1/8 means more than 1/16 and at most 1/8 of the machine's cores."},
		{"allocation.svg", allocationByQuarters, "Nodes and cores of the running jobs after a quarter, half and three quarters of the shortest schedule. Colours are as in the first picture."},
	}
}

func allocationByQuarters(w io.Writer, schedules ...plot.Schedule) error {
	return plot.Allocation(w, plot.Quarters(schedules...), schedules...)
}

// scheduleName is the policy. It adds the backend, the machine or the events where another run of a group has the same policy
// and not the same of these, and the run's id where it has all of them.
func scheduleName(runs []metric.Result, i int) string {
	run := runs[i].Run
	labels := func(r trace.Run) []string { return []string{r.BackendName(), r.Machine.Name, r.EventsLabel()} }
	differ := make([]bool, len(labels(run)))
	for k, other := range runs {
		if k == i || other.Run.Policy != run.Policy {
			continue
		}
		if slices.Equal(labels(other.Run), labels(run)) {
			return run.Policy + " (" + run.ID + ")"
		}
		for at, label := range labels(other.Run) {
			differ[at] = differ[at] || label != labels(run)[at]
		}
	}
	name := run.Policy
	for at, label := range labels(run) {
		if differ[at] {
			name += ", " + label
		}
	}
	return name
}
