package workloads

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

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
	jobs, _, _, err := parseCSV(name, data)
	return jobs, err
}

// parseCSV returns the jobs and their lines, and the origin.
func parseCSV(name string, data []byte) (jobs []Job, lines []int, origin []string, err error) {
	t := newTable(name)
	rows := csvRows{rep: &t.rep, job: t.addJob}
	for _, row := range numberedLines(data) {
		if !rows.add(row) {
			break
		}
	}
	jobs, lines, err = t.done()
	return jobs, lines, rows.origin, err
}

// csvRows reads the lines of a workload.csv, whose jobs are handed to job, and whose faults to rep.
type csvRows struct {
	rep *faults.List
	job func(line int, j Job)
	// line is the number of the last one.
	line int
	// origin are the comments before the header, without their marks; columns is nil before it.
	origin  []string
	columns []column
	// dependent says that there is a column of dependencies.
	dependent bool
}

// add takes the next line; after false the file is none that can be read.
func (r *csvRows) add(row string) bool {
	r.line++
	if r.columns == nil {
		if comment, is := strings.CutPrefix(row, "#"); is {
			r.origin = append(r.origin, strings.TrimSpace(comment))
			return true
		}
		columns, ok := columnsOf(row)
		if !ok {
			r.rep.Add(r.line, headerFault(row))
		}
		r.columns = columns
		r.dependent = slices.ContainsFunc(columns, func(c column) bool { return c.name == "dependency" })
		return ok
	}
	j, bad := csvRow(row, r.columns)
	for _, f := range bad {
		r.rep.Add(r.line, f)
	}
	if len(bad) == 0 {
		r.job(r.line, j)
	}
	return true
}

// table collects the jobs of a file, a job a line.
type table struct {
	rep faults.List
	// rows counts the jobs of the file, of which jobs has as many as a run takes: no more are of use.
	rows  int
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
	if t.rows++; t.rows > MaxJobs {
		return
	}
	for _, f := range append(j.faults(), t.earlier.faults(j)...) {
		t.rep.Add(line, j.describe(f))
	}
	t.earlier.Add(j)
	if first, again := t.seen[j.ID]; again {
		t.rep.Add(line, j.describe(faults.At("job_id", fmt.Sprintf("got %d, as in line %d", j.ID, first), "each once")))
	} else {
		t.seen[j.ID] = line
	}
	t.jobs = append(t.jobs, j)
	t.lines = append(t.lines, line)
}

func (t *table) done() ([]Job, []int, error) {
	if n := t.rows; t.rep.Len() == 0 && (n == 0 || n > MaxJobs) {
		t.rep.Add(0, faults.At("jobs", faults.Got(n), faults.Between(1, MaxJobs)))
	}
	if err := t.rep.Err(); err != nil {
		return nil, nil, err
	}
	return t.jobs, t.lines, nil
}

// numberedLines cuts at line feeds, counts from 1 and takes a carriage return off each end. A
// last line without a line feed counts, an empty file has one empty line.
func numberedLines(data []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
			if number++; !yield(number, strings.TrimSuffix(string(line), "\r")) {
				return
			}
		}
	}
}
