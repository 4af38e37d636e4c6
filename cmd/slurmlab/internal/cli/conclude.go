package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// conclude compares the runs of an experiment, which come in pairs, prints the
// comparison and writes tables, pictures and report into out. by is one of metric.GroupBys for a further table of
// groups of jobs, which is then printed instead, empty for none.
func conclude(s *State, f form, by, out string, dirs []string) error {
	runs, err := load(run.Load, dirs...)
	if err != nil {
		return err
	}
	var sides [2][]metric.Result
	for i, r := range runs {
		sides[i%2] = append(sides[i%2], r)
	}
	comparison, err := compare.Compare(sides[0], sides[1])
	if err != nil {
		return err
	}
	tables, err := tablesOf(comparison, runs)
	if err != nil {
		return err
	}
	first := tables[0]
	if by != "" {
		if first, err = groupsOf(comparison, sides, by); err != nil {
			return err
		}
		tables = append(tables, first)
	}
	var files []string
	for _, t := range tables {
		files = append(files, t.name+".csv")
		if err = t.writeFiles(out); err != nil {
			return err
		}
	}
	if err = errors.Join(writePictures(out, comparison, sides), writeReport(out, comparison, tables, sides)); err != nil {
		return err
	}
	err = printComparison(s, f, comparison, first, out)
	s.warn(runs...)
	results := fmt.Sprintf("%s (report.html, %s, pictures)", out, strings.Join(files, ", "))
	return errors.Join(err, s.conclusion(f, results, afterComparison(runs[0], runs[1])...))
}

// concludeVariants compares the runs of more than two policies, each with the first, prints the
// comparison and writes tables, pictures and report into out, as that of a campaign.
func concludeVariants(s *State, f form, out string, dirs []string, policies []policy.Policy, sweeps []compare.Sweep) error {
	g := gathered{labels: map[string]string{}, sweeps: sweeps}
	for _, p := range policies[1:] {
		g.pairs = append(g.pairs, [2]string{policies[0].Name, p.Name})
	}
	runs, err := load(run.Load, dirs...)
	if err != nil {
		return err
	}
	for _, r := range runs {
		g.labels[trace.Unarchived(r.Path)] = r.Run.Workload
	}
	g.take(runs)
	// Each is warned of, and there is no manifest.
	g.disturbed, g.late = 0, 0
	x, y, errPareto := twoMetrics(usualPareto)
	measures, errSensitivity := someMetrics(usualSensitivity)
	if err = errors.Join(errPareto, errSensitivity); err != nil {
		return err
	}
	r, err := g.report(out, x, y, measures)
	if err != nil {
		return err
	}
	err = r.tell(s, f)
	s.warn(runs...)
	return err
}

// printComparison prints the table of the metrics; for people between what the runs show
// and, of two kinds of cluster, how far the starts are apart.
func printComparison(s *State, f form, c compare.Comparison, metrics comparisonTable, out string) error {
	file := filepath.Join(out, metrics.name+".csv")
	if !f.forPeople() {
		return f.print(s, metrics.table, file)
	}
	_, err := fmt.Fprintf(s.Stdout, "%s\n", wrap(metrics.summary, "", s.width()))
	err = errors.Join(err, f.print(s, metrics.table, file))
	if starts := c.StartsSummary(); starts != "" {
		_, startsErr := fmt.Fprintf(s.Stdout, "\n%s", wrap(starts, "", s.width()))
		err = errors.Join(err, startsErr)
	}
	return err
}

// comparisonTable is one table of a comparison and the name of its files. Its summary, if
// there is one, stands above it.
type comparisonTable struct {
	name, summary string
	table         table.Table
}

// tablesOf are the tables of a comparison, that of the metrics first.
func tablesOf(c compare.Comparison, runs []metric.Result) ([]comparisonTable, error) {
	metrics, metricsErr := c.Table()
	list := []comparisonTable{{"comparison", c.Summary(), metrics}}
	var startsErr error
	if c.Of == trace.OfKinds {
		var starts table.Table
		starts, startsErr = c.StartsTable()
		list = append(list, comparisonTable{"starts", c.StartsSummary(), starts})
	}
	all := make([]metric.Metrics, len(runs))
	for i, r := range runs {
		all[i] = *r.Metrics
	}
	perRun, err := table.Runs(all)
	return append(list, comparisonTable{"runs", "", perRun}), errors.Join(metricsErr, startsErr, err)
}

// groupsOf is the table of the groups of jobs.
func groupsOf(c compare.Comparison, sides [2][]metric.Result, by string) (comparisonTable, error) {
	rows, err := c.ByGroup(sides[0], sides[1], by)
	if err != nil {
		return comparisonTable{}, err
	}
	t, err := c.JobGroupTable(rows, by)
	return comparisonTable{"by-" + by, c.JobGroupSummary(by), t}, err
}

// writeFiles writes the table into out, as CSV and Markdown.
func (t comparisonTable) writeFiles(out string) error {
	return errors.Join(
		writeFile(filepath.Join(out, t.name+".csv"), t.table.WriteCSV),
		writeFile(filepath.Join(out, t.name+".md"), func(w io.Writer) error {
			var err error
			if t.summary != "" {
				_, err = fmt.Fprintf(w, "%s\n\n", t.summary)
			}
			return errors.Join(err, t.table.Document().WriteMarkdown(w))
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
	if err := drawAll(out, first...); err != nil || len(sides[0]) == 1 {
		return err
	}
	return writeFile(filepath.Join(out, "replicas.svg"), func(w io.Writer) error {
		return plot.Replicas(w, plot.NewReplicaSet(c.A, sides[0]), plot.NewReplicaSet(c.B, sides[1]))
	})
}

// writeReport writes the page: one pair alone needs no table of its metrics beside those of
// its two runs.
func writeReport(out string, c compare.Comparison, tables []comparisonTable, sides [2][]metric.Result) error {
	title := fmt.Sprintf("%s and %s on machine %s, workload %s", c.A, c.B, c.Machine, c.Workload)
	if c.Policy != "" {
		title += ", policy " + c.Policy
	}
	input := report.Input{Title: title, Runs: []metric.Result{sides[0][0], sides[1][0]}}
	if len(sides[0]) > 1 {
		input.Replicas = sides[:]
		for _, t := range tables {
			caption := t.summary
			if caption == "" {
				caption = "All runs"
			}
			input.Tables = append(input.Tables, report.Table{Caption: caption, Header: t.table.Document().Header(), Rows: t.table.Document().Rows()})
		}
	}
	return writeFile(filepath.Join(out, "report.html"), func(w io.Writer) error { return report.Write(w, input) })
}
