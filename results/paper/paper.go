package paper

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Paper is a publication with tables of figures.
type Paper struct {
	// Name of its scheduler in small letters, About one line on its tables.
	Name, About string
	// Tables are the numbers of its tables, ascending.
	Tables []int
	// Replicas is how many runs each of its means is over.
	Replicas int
	// figures is the text of its CSV file.
	figures string
	// notes say by table what its rows do not.
	notes map[int][]string
}

// Row is a row of a published table.
type Row struct {
	Table   int
	Machine string
	// Name and Method are the paper's names of the row and of the scheduler.
	Name, Method string
	// Workload is ours, Priority Slurm's PriorityType without "priority/". Policies
	// are the patterns (path.Match) of our policies that do what Method does under
	// that priority, the nearest first and without "*".
	Workload, Priority string
	Policies           []string
	// Replicas is how many runs each mean of the paper is over.
	Replicas int
	// agent says that ours schedules under the first of Policies.
	agent bool
	// Values has the published mean by metric.Measure.Column, and its deviation over jobs
	// by StdColumn.
	Values map[string]float64
}

// The columns of a CSV file before those with a measure.
const (
	columnTable = iota
	columnMachine
	columnName
	columnMethod
	columnWorkload
	columnPriority
	columnPolicies
	firstMeasure
)

// TableList is Tables for people: "5, 6, 7".
func (p Paper) TableList() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(p.Tables), "[]"), " ", ", ")
}

// Notes are the footnotes of the table with that number, none for an unknown one.
func (p Paper) Notes(number int) []string {
	if len(p.notes[number]) == 0 {
		return nil
	}
	return append(slices.Clone(p.notes[number]),
		fmt.Sprintf("Each of the paper's means is over %d runs, its deviations are over the jobs of one: --replicas %d makes as many.", p.Replicas, p.Replicas))
}

// Rows returns the rows of the table with that number in the paper's order; with
// names only those that the paper names so. The error lists every name that the
// table does not have.
func (p Paper) Rows(number int, names ...string) ([]Row, error) {
	all, err := readPublished(p.figures)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(p.Tables, number) {
		return nil, fmt.Errorf("table: %d is not known, allowed: %s", number, p.TableList())
	}
	all = slices.DeleteFunc(all, func(r Row) bool { return r.Table != number })
	for i := range all {
		all[i].Replicas = p.Replicas
	}
	var known, unknown []string
	hint := ""
	for _, r := range all {
		if !slices.Contains(known, r.Name) {
			known = append(known, r.Name)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			unknown = append(unknown, strconv.Quote(name))
			hint = cmp.Or(hint, faults.Allowed(name, known, fmt.Sprintf("slurmlab paper %s --table %d", p.Name, number)))
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("rows: %s not in table %d%s", strings.Join(unknown, ", "), number, hint)
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(r Row) bool { return !slices.Contains(names, r.Name) })
	}
	return all, nil
}

// readPublished reads a CSV file of figures. An empty cell is a value that the paper does
// not have.
func readPublished(text string) ([]Row, error) {
	in := csv.NewReader(strings.NewReader(text))
	in.Comment = '#'
	records, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read published figures: %w", err)
	}
	var rows []Row
	for _, record := range records[1:] {
		r := Row{
			Machine: record[columnMachine], Name: record[columnName], Method: record[columnMethod],
			Workload: record[columnWorkload], Priority: record[columnPriority], Policies: strings.Fields(record[columnPolicies]),
			Values: map[string]float64{},
		}
		// All of Slurm's own policies in the papers are sets of sched/backfill, and named so.
		r.agent = len(r.Policies) > 0 && !strings.HasPrefix(r.Policies[0], trace.Backfill)
		if r.Table, err = strconv.Atoi(record[columnTable]); err != nil {
			return nil, fmt.Errorf("read published figures: %w", err)
		}
		for c, column := range records[0][firstMeasure:] {
			cell := record[firstMeasure+c]
			if cell == "" {
				continue
			}
			if r.Values[column], err = strconv.ParseFloat(cell, 64); err != nil {
				return nil, fmt.Errorf("read published figures: row %s %s: %w", r.Name, r.Method, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}
