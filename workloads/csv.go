package workloads

import (
	"bytes"
	"fmt"
	"io"
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
	jobs, _, err := parseCSV(name, data)
	return jobs, err
}

// parseCSV returns the jobs and their lines.
func parseCSV(name string, data []byte) ([]Job, []int, error) {
	t := newTable(name)
	var columns []column
	comments := len(csvOrigin(data))
	for i, row := range splitLines(data) {
		if i < comments {
			continue
		}
		if i == comments {
			var ok bool
			if columns, ok = columnsOf(row); !ok {
				t.rep.Add(i+1, headerFault(row))
				break
			}
			continue
		}
		t.addCSVRow(i+1, row, columns)
	}
	return t.done()
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

func (t *table) addCSVRow(line int, row string, columns []column) {
	j, faults := csvRow(row, columns)
	for _, f := range faults {
		t.rep.Add(line, f)
	}
	if len(faults) == 0 {
		t.addJob(line, j)
	}
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
