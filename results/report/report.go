package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
)

// Input is what a report is about.
type Input struct {
	// Title heads the page; empty is "slurmlab report".
	Title string
	// Tables come before the metrics of the runs, for the answer over many replicas.
	Tables []Table
	// Replicas are all runs of each of two sides, complete ones, where Runs are only some
	// of them. They are drawn above all else, and warned of; none for no picture.
	Replicas [][]metric.Result
	// Runs are shown in this order. The first one is the base of differences. Of a
	// run that is not complete only Run and Cycles are used.
	Runs []metric.Result
}

// Write writes the page. It is an error when there are no runs, when a run that is not complete has metrics or a
// complete one has none, and when a run cannot be drawn. All faults are listed and nothing is written.
func Write(w io.Writer, in Input) error {
	if err := in.validate(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	page, err := in.page()
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return page.Write(w)
}

func (in Input) validate() error {
	if len(in.Runs) == 0 {
		return errors.New("no runs")
	}
	var faults []error
	for _, r := range in.Runs {
		switch {
		case r.Complete() && r.Metrics == nil:
			faults = append(faults, fmt.Errorf("run %s is complete and has no metrics", r.Run.ID))
		case !r.Complete() && r.Metrics != nil:
			faults = append(faults, fmt.Errorf("run %s is %s and has metrics", r.Run.ID, r.Run.Status))
		}
	}
	if n := len(in.Replicas); n != 0 && n != 2 {
		faults = append(faults, fmt.Errorf("replicas of %d sides, want two", n))
	}
	for _, side := range in.Replicas {
		if len(side) == 0 || slices.ContainsFunc(side, func(r metric.Result) bool { return !r.Complete() || r.Metrics == nil }) {
			faults = append(faults, errors.New("replicas of a side: want complete runs with metrics, at least one"))
		}
	}
	for _, t := range in.Tables {
		for i, row := range t.Rows {
			if len(row) != len(t.Header) {
				faults = append(faults, fmt.Errorf("table %q row %d has %d cells, want %d", t.Caption, i+1, len(row), len(t.Header)))
			}
		}
	}
	return errors.Join(faults...)
}

// page has the pictures first, then the metrics with what makes them doubtful, then each run.
func (in Input) page() (Page, error) {
	p := Page{Title: in.Title, Lead: []string{summary(in)}}
	if p.Title == "" {
		p.Title = "slurmlab report"
	}
	var runs []Section
	for i, r := range in.Runs {
		runs = append(runs, runSection(i, r))
	}
	pictures, err := in.pictures()
	if err != nil {
		return p, err
	}
	compared := comparison(in, runs)
	if n := len(compared.Warnings); n > 0 {
		p.Lead = append(p.Lead, fmt.Sprintf("%s below the metrics.", text.Plural(n, "warning")))
	}
	p.Sections = slices.Concat(pictures, []Section{compared}, runs)
	if len(compared.Tables[len(compared.Tables)-1].Rows) > 0 {
		p.Sections = append(p.Sections, definitions(in.Runs))
	}
	return p, nil
}

// pictures are of all replicas, then of each group of runs.
func (in Input) pictures() ([]Section, error) {
	groups, err := newGroups(in.Runs)
	if err != nil || len(in.Replicas) == 0 {
		return groups, err
	}
	sides := in.sides()
	sets := []plot.ReplicaSet{plot.NewReplicaSet(sides.A, in.Replicas[0]), plot.NewReplicaSet(sides.B, in.Replicas[1])}
	figure, err := NewFigure(fmt.Sprintf("The replicas of each %s: dots, or for many of them a box of the middle half. The line is the median, whiskers go to the least and the largest.", sides.Of),
		func(w io.Writer) error { return plot.Replicas(w, sets...) })
	return slices.Concat([]Section{{Title: "All replicas", Figures: []Figure{figure}}}, groups), err
}
