package report

import (
	"bytes"
	_ "embed" // for the template and the style
	"errors"
	"fmt"
	"html/template"
	"io"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/trace"
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
	// Samples are all replicas of each policy, drawn below the tables; none for
	// no picture.
	Samples []plot.Sample
	// Runs are shown in this order. The first one is the base of differences.
	Runs []Run
}

// Table is a table of texts under a line that says what it shows. All rows are
// as long as Header.
type Table struct {
	Caption string
	Header  []string
	Rows    [][]string
}

// Run is one run directory. Of a run that is not complete only Data.Run and
// Data.Cycles are used, and Metrics must be nil.
type Run struct {
	// Path is where the run lies, as the reader knows it.
	Path string
	Data trace.Data
	// Metrics are those of a complete run.
	Metrics *metric.Metrics
}

func (r Run) complete() bool { return r.Data.Run.Status == trace.StatusComplete }

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
	// Into memory first: a page that is cut off in the middle would still look
	// like a report.
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
		case r.complete() && r.Metrics == nil:
			faults = append(faults, fmt.Errorf("run %s is complete and has no metrics", r.Data.Run.ID))
		case !r.complete() && r.Metrics != nil:
			faults = append(faults, fmt.Errorf("run %s is %s and has metrics", r.Data.Run.ID, r.Data.Run.Status))
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
	Replicas []figure
	Compared comparison
	Warnings []warning
	Groups   []group
	Runs     []runSection
}

func newPage(in Input) (page, error) {
	p := page{
		Title:   in.Title,
		Style:   template.CSS(pageStyle), // our own file
		Summary: summary(in.Runs),
	}
	for _, t := range in.Tables {
		p.Tables = append(p.Tables, newTableView(t))
	}
	if p.Title == "" {
		p.Title = "slurmlab report"
	}
	p.Warnings = append(p.Warnings, differenceWarnings(in.Runs)...)
	for i, r := range in.Runs {
		section := newRunSection(i, r)
		p.Runs = append(p.Runs, section)
		for _, text := range section.Warnings {
			p.Warnings = append(p.Warnings, warning{Run: section.Name, Anchor: section.Anchor, Text: text})
		}
	}
	p.Compared = newComparison(in.Runs, p.Runs)
	if len(in.Samples) > 0 {
		replicas, err := newFigure("The replicas of each policy: dots, or for many of them a box of the middle half; the line is the median, whiskers go to the least and the largest.",
			func(w io.Writer) error { return plot.Replicas(w, in.Samples...) })
		if err != nil {
			return page{}, err
		}
		p.Replicas = []figure{replicas}
	}
	var err error
	p.Groups, err = newGroups(in.Runs)
	return p, err
}

// summary says what was run in one sentence.
func summary(runs []Run) string {
	complete := 0
	for _, r := range runs {
		if r.complete() {
			complete++
		}
	}
	text := plural(len(runs), "run")
	if complete < len(runs) {
		text += fmt.Sprintf(" (%d complete)", complete)
	}
	first := runs[0].Data.Run
	for _, r := range runs[1:] {
		if r.Data.Run.Machine != first.Machine || r.Data.Run.Workload != first.Workload {
			return text + "."
		}
	}
	return fmt.Sprintf("%s of workload %s (%s) on machine %s.",
		text, first.Workload, plural(first.Jobs, "job"), machineText(first.Machine))
}
