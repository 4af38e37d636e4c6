package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
)

// group is the pictures of all complete runs of the same jobs on the same
// machine.
type group struct {
	Title   string
	Open    bool
	Figures []drawnFigure
}

type drawnFigure struct {
	SVG     template.HTML
	Caption string
}

// newGroups draws each group of runs; the first one is open on the page.
func newGroups(runs []metric.Result) ([]group, error) {
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
	var out []group
	for i, m := range members {
		figures, err := newFigures(m)
		if err != nil {
			return nil, err
		}
		first := m[0].Run
		out = append(out, group{
			Title:   fmt.Sprintf("Workload %s, %s, machine %s", first.Workload, first.Replica(), first.Machine.Name),
			Open:    i == 0,
			Figures: figures,
		})
	}
	return out, nil
}

func newFigures(runs []metric.Result) ([]drawnFigure, error) {
	schedules := make([]plot.Schedule, len(runs))
	for i, r := range runs {
		schedules[i] = plot.Schedule{Name: scheduleName(runs, i), Machine: r.Run.Machine, Jobs: r.Jobs}
	}
	var out []drawnFigure
	for _, f := range []struct {
		draw    func(io.Writer, ...plot.Schedule) error
		caption string
	}{
		{plot.Gantt, "Nodes by time. Every job is a colour, the same one under every policy: cool colours used CPUs only, warm ones GPUs. A striped job has some of the cores of its nodes and shares the rest; grey ground is idle. The dashed line is the end of the last job."},
		{plot.Load, "Allocated part of all cores and of all GPUs, idle GPUs that a job drawn from the workload cannot use, and jobs submitted but not started, over time."},
		{plot.WaitingECDF, "Part of the started jobs that had waited at most so long. Further left and up is better."},
		{plot.WaitingBySize, "Waiting times of the started jobs by the cores that they ask for: up to 1/8 is more than 1/16 and at most 1/8 of the machine."},
		{allocationByQuarters, "Nodes and cores of the jobs that run after a quarter, half and three quarters of the shortest schedule. Colours are those of the first picture."},
	} {
		drawn, err := newFigure(f.caption, func(w io.Writer) error { return f.draw(w, schedules...) })
		if err != nil {
			return nil, err
		}
		out = append(out, drawn)
	}
	return out, nil
}

func allocationByQuarters(w io.Writer, schedules ...plot.Schedule) error {
	return plot.Allocation(w, plot.Quarters(schedules...), schedules...)
}

func newFigure(caption string, draw func(io.Writer) error) (drawnFigure, error) {
	var svg bytes.Buffer
	if err := draw(&svg); err != nil {
		return drawnFigure{}, err
	}
	// plot escapes the texts of a picture and puts no script in it.
	return drawnFigure{SVG: template.HTML(svg.String()), Caption: caption}, nil
}

// scheduleName is the policy, with the kind of cluster where another run of a group has
// the same policy, and with the run's id where it has the same kind, too.
func scheduleName(runs []metric.Result, i int) string {
	run := runs[i].Run
	name := run.Policy
	for k, other := range runs {
		switch {
		case k == i || other.Run.Policy != run.Policy:
		case other.Run.Slurm == run.Slurm:
			return run.Policy + " (" + run.ID + ")"
		default:
			name = run.Policy + ", " + run.KindText()
		}
	}
	return name
}
