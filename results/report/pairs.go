package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Pairs are runs that come in pairs, and what they show.
type Pairs struct {
	compare.Comparison
	Runs []metric.Result
	// Tables are the comparison's tables, the metrics first. Main is the one to print: the metrics, or the groups of jobs
	// if those were asked for.
	Tables []NamedTable
	Main   NamedTable
	sides  [2][]metric.Result
}

// NewPairs compares the runs of an experiment, which come in pairs. by is one of metric.GroupBys for a further table of
// groups of jobs, empty for none.
func NewPairs(runs []metric.Result, by string) (Pairs, error) {
	p := Pairs{Runs: runs}
	for i, r := range runs {
		p.sides[i%2] = append(p.sides[i%2], r)
	}
	var err error
	if p.Comparison, err = compare.Compare(p.sides[0], p.sides[1]); err != nil {
		return p, err
	}
	if p.Tables, err = tablesOf(p.Comparison, runs); err != nil {
		return p, err
	}
	p.Main = p.Tables[0]
	if by != "" {
		if p.Main, err = groupsOf(p.Comparison, p.sides, by); err != nil {
			return p, err
		}
		p.Tables = append(p.Tables, p.Main)
	}
	return p, nil
}

// Write writes tables, pictures and report into out, and names the tables.
func (p Pairs) Write(out string) ([]string, error) {
	var files []string
	for _, t := range p.Tables {
		files = append(files, t.Name+".csv")
		if err := writeTable(out, t); err != nil {
			return nil, err
		}
	}
	return files, errors.Join(writePictures(out, p.Comparison, p.sides), writeReport(out, p.Comparison, p.Tables, p.sides))
}

// NamedTable is one table of a comparison and the name of its files. Its summary, if
// there is one, stands above it. ForPeople has the most important rows, or all.
type NamedTable struct {
	Name, Summary    string
	Table, ForPeople table.Table
}

// tablesOf are the tables of a comparison, the table of the metrics first.
func tablesOf(c compare.Comparison, runs []metric.Result) ([]NamedTable, error) {
	metrics, metricsErr := c.Table(false)
	few, fewErr := c.Table(true)
	list := []NamedTable{{"comparison", c.Summary(), metrics, few}}
	var startsErr error
	if c.Of == trace.OfBackends {
		var starts table.Table
		starts, startsErr = c.StartsTable()
		list = append(list, NamedTable{"starts", c.StartsSummary(), starts, starts})
	}
	perRun, err := table.Runs(metric.MetricsOf(runs))
	return append(list, NamedTable{"runs", "", perRun, perRun}), errors.Join(metricsErr, fewErr, startsErr, err)
}

// groupsOf is the table of the groups of jobs.
func groupsOf(c compare.Comparison, sides [2][]metric.Result, by string) (NamedTable, error) {
	rows, err := c.ByGroup(sides[0], sides[1], by)
	if err != nil {
		return NamedTable{}, err
	}
	t, err := c.JobGroupTable(rows, by)
	return NamedTable{"by-" + by, c.JobGroupSummary(by), t, t}, err
}

// WriteGroups compares the jobs of each pair of policies of the folder group by group, and writes the table of all pairs into
// the folder. The runs have one machine and workload.
func (f Folder) WriteGroups(by string) (NamedTable, error) {
	of := map[string][]metric.Result{}
	for _, r := range f.Runs {
		of[r.Run.Policy] = append(of[r.Run.Policy], r)
	}
	var pairs []compare.PairGroups
	for _, pair := range f.Pairs {
		a, b := of[pair[0]], of[pair[1]]
		c, err := compare.Compare(a, b)
		if err != nil {
			return NamedTable{}, err
		}
		rows, err := c.ByGroup(a, b, by)
		if err != nil {
			return NamedTable{}, err
		}
		pairs = append(pairs, compare.PairGroups{Comparison: c, Rows: rows})
	}
	t, err := compare.PairGroupTable(pairs, by)
	if err != nil {
		return NamedTable{}, err
	}
	named := NamedTable{"by-" + by, fmt.Sprintf("Each pair by %s: %s.", by, pairs[0].JobGroupSummary(by)), t, t}
	return named, writeTable(f.Path, named)
}

// writeTable writes a table into out, as CSV and Markdown.
func writeTable(out string, t NamedTable) error {
	return errors.Join(
		trace.WriteAtomic(filepath.Join(out, t.Name+".csv"), t.Table.WriteSheet),
		trace.WriteAtomic(filepath.Join(out, t.Name+".md"), func(w io.Writer) error {
			var err error
			if t.Summary != "" {
				_, err = fmt.Fprintf(w, "%s\n\n", t.Summary)
			}
			return errors.Join(err, t.Table.Document().WriteMarkdown(w))
		}),
	)
}

// writePictures draws the first pair, and the metrics of all where there are more.
func writePictures(out string, c compare.Comparison, sides [2][]metric.Result) error {
	var first []plot.Schedule
	for i, name := range []string{c.A, c.B} {
		r := sides[i][0]
		first = append(first, plot.Schedule{Name: name, Machine: r.Run.Machine, Jobs: r.Jobs})
	}
	if err := Draw(out, first...); err != nil || len(sides[0]) == 1 {
		return err
	}
	return trace.WriteAtomic(filepath.Join(out, "replicas.svg"), func(w io.Writer) error {
		return plot.Replicas(w, plot.NewReplicaSet(c.A, sides[0]), plot.NewReplicaSet(c.B, sides[1]))
	})
}

// pairsWidth is how many characters the tables of a comparison have in a line: a page of 700 pixels shows them.
const pairsWidth = 110

// writeReport writes the page: one pair alone needs no table of its metrics beside those of
// its two runs.
func writeReport(out string, c compare.Comparison, tables []NamedTable, sides [2][]metric.Result) error {
	title := fmt.Sprintf("%s and %s", c.A, c.B)
	if c.Of == trace.OfMachines || c.Of == trace.OfEvents {
		title = strings.ToUpper(string(c.Of.Plural()[:1])) + c.Of.Plural()[1:] + " " + title
	}
	if c.Machine != "" {
		title += " on machine " + c.Machine
	}
	title += ", workload " + c.Workload
	if c.Policy != "" {
		title += ", policy " + c.Policy
	}
	input := Input{Title: title, Runs: []metric.Result{sides[0][0], sides[1][0]}}
	if len(sides[0]) > 1 {
		input.Replicas = sides[:]
		for _, t := range tables {
			view := t.ForPeople.Fit(pairsWidth)
			input.Tables = append(input.Tables, NewTable(t.caption(view), view))
		}
	}
	return trace.WriteAtomic(filepath.Join(out, pageName), func(w io.Writer) error { return Write(w, input) })
}

// caption is the line above a table on the page.
func (t NamedTable) caption(shown table.View) string {
	caption := t.Summary
	if caption == "" {
		caption = "All runs. " + shown.Common + "."
	}
	if shown.Left > 0 {
		caption += fmt.Sprintf(" %s.csv has %s more.", t.Name, text.Plural(shown.Left, "column"))
	}
	return caption
}

// Draw draws the pictures of one or two schedules into out.
func Draw(out string, schedules ...plot.Schedule) error {
	var bad []error
	for _, p := range pictures() {
		bad = append(bad, trace.WriteAtomic(filepath.Join(out, p.file), func(w io.Writer) error { return p.draw(w, schedules...) }))
	}
	return errors.Join(bad...)
}
