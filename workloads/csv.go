package workloads

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// csvHeader is the first line of workload.csv, the names of its columns.
const csvHeader = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class"

// ownColumns is the number of columns of csvHeader, which every workload has.
const ownColumns = 11

// furtherColumn is one that follows in some workloads.
type furtherColumn struct {
	name  string
	there *bool
}

// further are the columns that may follow, in their order.
func (c *Columns) further() []furtherColumn {
	list := []furtherColumn{{"user", &c.Users}, {"nodes_max", &c.NodeRanges}, {"outcome", &c.Outcomes}, {"cancel_after_s", &c.CancelAfter}}
	var j Job
	for i, column := range j.further() {
		list = append(list, furtherColumn{column.name, &c.options[i]})
	}
	return list
}

// isHeader says whether a line is the first one of workload.csv.
func isHeader(line string) bool {
	var c Columns
	names := strings.Split(line, ",")
	for _, further := range c.further() {
		*further.there = slices.Contains(names, further.name)
	}
	return line == CSVHeader(c)
}

// WriteCSV writes the jobs as workload.csv: a header, then one row a job in
// the given order, contiguous as 0 or 1, lines ended by a line feed. The last columns,
// those of Columns, are there only if a job needs them. A job that ReadCSV would refuse
// is an error, before anything is written.
func WriteCSV(w io.Writer, jobs []Job) error {
	rep := faults.List{Name: "write workload"}
	var out bytes.Buffer
	columns := ColumnsOf(jobs)
	var earlier Earlier
	out.WriteString(CSVHeader(columns))
	out.WriteByte('\n')
	for _, j := range jobs {
		for _, f := range append(j.faults(), earlier.faults(j)...) {
			rep.Add(0, j.describe(f))
		}
		earlier.Add(j)
		out.Write(j.AppendCSV(out.AvailableBuffer(), columns))
	}
	if err := rep.Err(); err != nil {
		return err
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write workload: %w", err)
	}
	return nil
}

// ReadCSV reads what WriteCSV writes, with either line ending; name is for
// messages. Lines before the header that start with # are the origin of an
// imported workload. It is strict: the exact header, digits only, no spaces, no
// empty lines, every job_id once, at least one job, and each row a job that is
// valid on some machine. The error lists the faults as name:line: field.
func ReadCSV(r io.Reader, name string) ([]Job, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	jobs, _, err := parseCSV(name, data)
	return jobs, err
}

// parseCSV returns the jobs and their lines.
func parseCSV(name string, data []byte) ([]Job, []int, error) {
	t := newTable(name)
	header := csvHeader
	comments := len(csvOrigin(data))
	for i, row := range splitLines(data) {
		if i < comments {
			continue
		}
		if i == comments {
			header = row
			if !isHeader(row) {
				t.rep.Add(i+1, headerFault(row))
				break
			}
			continue
		}
		t.addCSVRow(i+1, row, header)
	}
	return t.done()
}

// headerFault is that of a file whose first line after the comments is row.
func headerFault(row string) fault {
	allowed := csvHeader
	var c Columns
	for _, further := range c.further() {
		allowed += "[," + further.name + "]"
	}
	return faultAt("header", "got "+strconv.Quote(row[:min(len(row), 2*len(csvHeader))]), allowed)
}

// csvOrigin returns the comments before the header, without their marks.
func csvOrigin(data []byte) []string {
	var origin []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		origin = append(origin, strings.TrimSpace(line[1:]))
	}
	return origin
}

func (t *table) addCSVRow(line int, row, header string) {
	j, faults := csvRow(row, strings.Split(header, ","))
	for _, f := range faults {
		t.rep.Add(line, f)
	}
	if len(faults) == 0 {
		t.addJob(line, j)
	}
}

// csvRow reads the job of a row. What can be known of the job itself is not checked.
func csvRow(row string, columns []string) (Job, []fault) {
	cells := strings.Split(row, ",")
	if len(cells) != len(columns) {
		return Job{}, []fault{faultAt("row", got(len(cells))+" columns", strconv.Itoa(len(columns)))}
	}
	var out []fault
	j := Job{Class: cells[10]}
	if at := slices.Index(columns, "user"); at >= 0 {
		j.User = cells[at]
	}
	if at := slices.Index(columns, "outcome"); at >= 0 {
		var err error
		if j.Outcome, err = ParseOutcome(cells[at]); err != nil {
			out = append(out, faultAt(columns[at], got(cells[at]), strings.Join(outcomeNames(), ", ")))
		}
	}
	numbers := map[string]*int{
		"job_id": &j.ID, "arrival_s": &j.Arrival, "runtime_s": &j.Runtime, "limit_s": &j.Limit, "nodes": &j.Nodes, "cores": &j.Cores,
		"cores_per_node": &j.CoresPerNode, "gpus_min": &j.GPUsMin, "gpus_max": &j.GPUsMax, "nodes_max": &j.NodesMax, "cancel_after_s": &j.CancelAfter,
	}
	for i, column := range columns {
		if i >= ownColumns {
			if _, allowed := j.Set(column, cells[i]); allowed != "" {
				out = append(out, faultAt(column, got(cells[i]), allowed))
			}
		}
		into, ok := numbers[column]
		if !ok {
			continue
		}
		value, ok := wholeNumber(cells[i])
		if !ok {
			out = append(out, faultAt(column, got(cells[i]), "a whole number"))
		}
		*into = value
	}
	switch cells[9] {
	case "0":
	case "1":
		j.Contiguous = true
	default:
		out = append(out, faultAt(columns[9], got(cells[9]), "0 or 1"))
	}
	return j, out
}

// table collects the jobs of a file, a job a line.
type table struct {
	rep   faults.List
	jobs  []Job
	lines []int
	seen  map[int]int // line by job id
	// earlier has the jobs before the next line.
	earlier Earlier
}

func newTable(name string) *table {
	return &table{rep: faults.List{Name: name}, seen: map[int]int{}}
}

// addJob checks what can be known of a job without its machine.
func (t *table) addJob(line int, j Job) {
	for _, f := range append(j.faults(), t.earlier.faults(j)...) {
		t.rep.Add(line, j.describe(f))
	}
	t.earlier.Add(j)
	if first, again := t.seen[j.ID]; again {
		t.rep.Add(line, j.describe(faultAt("job_id", fmt.Sprintf("got %d, as in line %d", j.ID, first), "each once")))
	} else {
		t.seen[j.ID] = line
	}
	t.jobs = append(t.jobs, j)
	t.lines = append(t.lines, line)
}

func (t *table) done() ([]Job, []int, error) {
	if n := len(t.jobs); t.rep.Len() == 0 && (n == 0 || n > MaxJobs) {
		t.rep.Add(0, faultAt("jobs", got(n), between(1, MaxJobs)))
	}
	if err := t.rep.Err(); err != nil {
		return nil, nil, err
	}
	return t.jobs, t.lines, nil
}

// splitLines cuts at line feeds and takes a carriage return off each end. A
// last line without a line feed counts, an empty file has one empty line.
func splitLines(data []byte) []string {
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// wholeNumber reads decimal digits only: no sign, no space, at most 9 digits,
// so that no product of two of a job's numbers overflows.
func wholeNumber(text string) (int, bool) {
	if text == "" || len(text) > 9 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
