package interchange

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// fixedReader reads a trace that has always the same columns. Commas separate the values, which have none.
type fixedReader struct {
	in      *records.Lines
	columns []string
	// job is the job of a record.
	job func(*fixedRow) request
}

func newFixed(name string, in io.Reader, columns []string, job func(*fixedRow) request) (*fixedReader, error) {
	f := &fixedReader{in: records.NewLines(name, in), columns: columns, job: job}
	header, err := f.in.Header()
	if err != nil {
		return nil, err
	}
	if !slices.Equal(strings.Split(header, ","), columns) {
		return nil, fmt.Errorf("%s:1: header: got %s, allowed %s", name, faults.Quote(header), strings.Join(columns, ","))
	}
	return f, nil
}

func (f *fixedReader) header() []string { return nil }

// epoch is that of Unix: times without a zone are read as UTC.
func (f *fixedReader) epoch() (float64, bool) { return 0, true }

func (f *fixedReader) next() (request, error) {
	text, err := f.in.Filled()
	if err != nil {
		return request{}, err
	}
	row := fixedRow{line: f.in.Number, columns: f.columns, fields: strings.Split(string(text), ",")}
	if got, want := len(row.fields), len(f.columns); got != want {
		return request{}, records.BadCount(row.line, got, want, "commas")
	}
	req := f.job(&row)
	req.line = row.line
	return req, row.bad
}

// fixedRow reads the values of one record, which has one for each column; the first bad one is kept.
type fixedRow struct {
	line            int
	columns, fields []string
	bad             error
}

func (r *fixedRow) fault(column int, allowed string) {
	if r.bad == nil {
		r.bad = records.BadField(r.line, r.columns[column], r.fields[column], allowed)
	}
}

func (r *fixedRow) count(column int) int {
	n, err := strconv.ParseUint(r.fields[column], 10, 31)
	if err != nil {
		r.fault(column, "a whole number, not negative")
	}
	return int(n)
}

// time is Unix seconds of a local time without a zone.
func (r *fixedRow) time(column int) float64 {
	t, err := time.Parse(time.DateTime, r.fields[column])
	if err != nil {
		r.fault(column, "YYYY-MM-DD HH:MM:SS")
	}
	return float64(t.Unix())
}
