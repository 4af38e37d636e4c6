package report

import (
	"bytes"
	_ "embed" // for the template and the style
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
)

//go:embed report.html
var pageTemplate string

//go:embed style.css
var pageStyle string

// Input is what a report is about.
type Input struct {
	// Title heads the page; empty is "slurmlab report".
	Title string
	// Tables come before everything else, for the answer over many replicas.
	Tables []Table
	// Replicas are all runs of each of two sides, complete ones, where Runs are only some
	// of them. They are drawn below the tables, and warned of; none for no picture.
	Replicas [][]metric.Result
	// Runs are shown in this order. The first one is the base of differences. Of a
	// run that is not complete only Run and Cycles are used.
	Runs []metric.Result
}

// Table is a table of texts under a line that says what it shows. All rows are
// as long as Header.
type Table struct {
	Caption string
	Header  []string
	Rows    [][]string
	// Marked are the rows that a reader should not overlook, by their indices.
	Marked []int
}

// Write writes the page. It is an error when there are no runs, when a run
// that is not complete has metrics or a complete one has none, and when a run
// cannot be drawn; all faults are listed and nothing is written.
func Write(w io.Writer, in Input) error {
	if err := in.validate(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	page, err := newPage(in)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	parsed, err := template.New("report").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("parse report template: %w", err)
	}
	// The page is made in memory first: one that is cut off in the middle would
	// still look like a report.
	var out bytes.Buffer
	if err := parsed.Execute(&out, page); err != nil {
		return fmt.Errorf("fill report template: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
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

// page is everything that the template shows.
type page struct {
	Title    string
	Style    template.CSS
	Summary  string
	Tables   []tableView
	Replicas []drawnFigure
	Compared comparison
	Warnings []warning
	Groups   []group
	Runs     []runSection
}

func newPage(in Input) (page, error) {
	p := page{
		Title:   in.Title,
		Style:   template.CSS(pageStyle), // our own file
		Summary: summary(in),
	}
	for _, t := range in.Tables {
		p.Tables = append(p.Tables, newTableView(t))
	}
	if p.Title == "" {
		p.Title = "slurmlab report"
	}
	for i, r := range in.Runs {
		p.Runs = append(p.Runs, newRunSection(i, r))
	}
	p.Warnings = pageWarnings(in, p.Runs)
	p.Compared = newComparison(in, p.Runs)
	if len(in.Replicas) > 0 {
		sides := in.sides()
		sets := []plot.ReplicaSet{plot.NewReplicaSet(sides.A, in.Replicas[0]), plot.NewReplicaSet(sides.B, in.Replicas[1])}
		replicas, err := newFigure("The replicas of each "+string(sides.Of)+": dots, or for many of them a box of the middle half; the line is the median, whiskers go to the least and the largest.",
			func(w io.Writer) error { return plot.Replicas(w, sets...) })
		if err != nil {
			return page{}, err
		}
		p.Replicas = []drawnFigure{replicas}
	}
	var err error
	p.Groups, err = newGroups(in.Runs)
	return p, err
}
