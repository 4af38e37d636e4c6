package report

import (
	"fmt"
	"io"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
)

// newGroups draws each group of complete runs of the same jobs on the same machine; the first one is open on the page.
func newGroups(runs []metric.Result) ([]Section, error) {
	var members [][]metric.Result
	for _, r := range runs {
		if !r.Complete() {
			continue
		}
		found := false
		for i := range members {
			if found = members[i][0].SameWork(r); found {
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
		group := Section{
			Title: fmt.Sprintf("Workload %s, %s, machine %s", first.Workload, first.Replica(), first.Machine.Name),
			Class: "pictured", Figures: figures,
		}
		if i > 0 {
			group.Folded = "Pictures"
		}
		out = append(out, group)
	}
	return out, nil
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

// scheduleName is the policy. It adds the backend where another run of a group has the same policy, and the run's id
// where it has the same backend as well.
func scheduleName(runs []metric.Result, i int) string {
	run := runs[i].Run
	name := run.Policy
	for k, other := range runs {
		switch {
		case k == i || other.Run.Policy != run.Policy:
		case other.Run.Backend == run.Backend:
			return run.Policy + " (" + run.ID + ")"
		default:
			name = run.Policy + ", " + run.BackendName()
		}
	}
	return name
}
