package paper

import (
	_ "embed" // for the published figures
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

//go:embed aucsched.csv
var aucsched string

// firstMeasure is the first column of aucsched.csv with a measure; before it
// are table, machine, workload and method.
const firstMeasure = 4

// Row is a row of a published table.
type Row struct {
	Table    int
	Machine  string
	Workload string
	// Method is the paper's name of the scheduler, Policy ours.
	Method, Policy string
	// Values has the published value by metric.Measure.Column.
	Values map[string]float64
}

// Rows returns the rows of AUCSCHED's table with that number, 5 to 7, in the
// paper's order; with names only those of the named workloads. The error lists
// every name that the table does not have.
func Rows(number int, names ...string) ([]Row, error) {
	all, err := read(aucsched)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r Row) bool { return r.Table != number })
	if len(all) == 0 {
		return nil, fmt.Errorf("table: %d is not known, allowed are 5, 6 and 7", number)
	}
	var known, unknown []string
	for _, r := range all {
		if !slices.Contains(known, r.Workload) {
			known = append(known, r.Workload)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("rows: %s not in table %d, allowed are %s", strings.Join(unknown, ", "), number, strings.Join(known, ", "))
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(r Row) bool { return !slices.Contains(names, r.Workload) })
	}
	return all, nil
}

func read(text string) ([]Row, error) {
	in := csv.NewReader(strings.NewReader(text))
	in.Comment = '#'
	records, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read published figures: %w", err)
	}
	policies := map[string]string{"AUCSCHED": "auction", "SLURM/BF": "backfill"}
	var rows []Row
	for _, record := range records[1:] {
		r := Row{Machine: record[1], Workload: record[2], Method: record[3], Policy: policies[record[3]], Values: map[string]float64{}}
		if r.Table, err = strconv.Atoi(record[0]); err != nil {
			return nil, fmt.Errorf("read published figures: %w", err)
		}
		for c, column := range records[0][firstMeasure:] {
			if r.Values[column], err = strconv.ParseFloat(record[firstMeasure+c], 64); err != nil {
				return nil, fmt.Errorf("read published figures: row %s %s: %w", r.Workload, r.Method, err)
			}
		}
		// By AUCSCHED's definition of utilisation; it shows whether the runs had as
		// much to do as the paper's.
		r.Values["theoretical_runtime_h"] = r.Values["cpu_utilization_percent"] / 100 * r.Values["runtime_h"]
		rows = append(rows, r)
	}
	return rows, nil
}

// Figure is a published value and ours, in the unit of tables.
type Figure struct {
	Row     Row
	Measure metric.Measure
	Paper   float64
	// Runs is the number of replicas, Ours their mean, unknown for none.
	Runs int
	Ours float64
	// Interval is that of Ours - Paper; nil for fewer than two replicas.
	Interval *compare.Interval
}

// Compare puts the runs beside the published rows, measure by measure. Runs of
// other machines, workloads or policies are left alone.
func Compare(rows []Row, runs []metric.Metrics) []Figure {
	var figures []Figure
	for _, row := range rows {
		for _, m := range metric.Measures() {
			published, there := row.Values[m.Column]
			if !there {
				continue
			}
			f := Figure{Row: row, Measure: m, Paper: published}
			var differences []float64
			for _, run := range runs {
				v, known := m.Value(run)
				if known && run.Machine == row.Machine && run.Workload == row.Workload && run.Policy == row.Policy {
					differences = append(differences, m.Unit.InTable(v)-published)
				}
			}
			f.Runs = len(differences)
			mean, interval := compare.MeanInterval(differences)
			f.Ours, f.Interval = published+mean, interval
			figures = append(figures, f)
		}
	}
	return figures
}

// decimals are one more than the papers print.
const decimals = 3

// Table has a row per figure.
func Table(figures []Figure) (table.Table, error) {
	columns := []table.Column{
		{Title: "Table", Names: []string{"table"}},
		{Title: "Machine", Names: []string{"machine"}, Left: true},
		{Title: "Workload", Names: []string{"workload"}, Left: true},
		{Title: "Method", Names: []string{"method"}, Left: true},
		{Title: "Metric", Names: []string{"metric"}, Left: true},
		{Title: "Paper", Names: []string{"paper"}},
		{Title: "Ours", Names: []string{"ours"}},
		{Title: "n", Names: []string{"n"}},
		{Title: "Difference", Names: []string{"difference"}},
		{Title: "95 % interval", Names: []string{"interval_low", "interval_high"}},
	}
	var rows [][]table.Cell
	for _, f := range figures {
		ours, difference := table.Unknown(1), table.Unknown(1)
		interval := table.Unknown(2)
		if f.Runs > 0 {
			ours, difference = table.Number(f.Ours, decimals), table.Number(f.Ours-f.Paper, decimals)
		}
		if f.Interval != nil {
			low, high := table.Number(f.Interval.Low, decimals), table.Number(f.Interval.High, decimals)
			interval = table.Cell{Shown: "[" + low.Shown + ", " + high.Shown + "]", Values: []string{low.Values[0], high.Values[0]}}
		}
		rows = append(rows, []table.Cell{
			table.Count(uint64(f.Row.Table)), table.Text(f.Row.Machine), table.Text(f.Row.Workload), table.Text(f.Row.Method),
			{Shown: f.Measure.Heading(), Values: []string{f.Measure.Column}},
			table.Number(f.Paper, decimals), ours, table.Count(uint64(f.Runs)), difference, interval,
		})
	}
	return table.New(columns, rows)
}
