package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WorkloadColumns is the header of workload.csv.
func WorkloadColumns() []string {
	return []string{
		"job_id", "arrival_s", "runtime_s", "limit_s", "nodes", "cores",
		"cores_per_node", "gpus_min", "gpus_max", "contiguous", "class",
	}
}

// ReadWorkload reads workload.csv. It is strict: the header must be that of
// WorkloadColumns, numbers are whole and not negative, each job asks for at
// least one core and has an id of its own, gpus_min is at most gpus_max,
// contiguous is 0 or 1. Each fault is reported as "name:line: column ...".
func ReadWorkload(r io.Reader, name string) ([]WorkloadJob, error) {
	var jobs []WorkloadJob
	var bad faults
	firstLine := map[int]int{}
	err := readCSV(r, name, WorkloadColumns(), func(row csvRow) {
		row.bad = &bad
		job := WorkloadJob{
			ID:           row.count("job_id"),
			Arrival:      row.count("arrival_s"),
			Runtime:      row.count("runtime_s"),
			Limit:        row.count("limit_s"),
			Nodes:        row.count("nodes"),
			Cores:        row.count("cores"),
			CoresPerNode: row.count("cores_per_node"),
			GPUsMin:      row.count("gpus_min"),
			GPUsMax:      row.count("gpus_max"),
			Contiguous:   row.flag("contiguous"),
			Class:        row.text("class"),
		}
		if other, twice := firstLine[job.ID]; twice {
			row.fault("job_id", fmt.Sprintf("want an id of its own, line %d has the same", other))
		}
		firstLine[job.ID] = row.line
		if job.Cores < 1 {
			row.fault("cores", "want at least 1")
		}
		if job.GPUsMax < job.GPUsMin {
			row.fault("gpus_max", "want at least gpus_min")
		}
		jobs = append(jobs, job)
	})
	if err != nil {
		return nil, err
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return jobs, nil
}

// readCSV checks the header and calls each for every further record.
func readCSV(r io.Reader, name string, header []string, each func(csvRow)) error {
	records := csv.NewReader(r)
	records.FieldsPerRecord = len(header)
	column := make(map[string]int, len(header))
	for i, h := range header {
		column[h] = i
	}
	for first := true; ; first = false {
		fields, err := records.Read()
		if errors.Is(err, io.EOF) && !first {
			return nil
		}
		if first && (errors.Is(err, io.EOF) || errors.Is(err, csv.ErrFieldCount) || err == nil && !slices.Equal(fields, header)) {
			return fmt.Errorf("%s:1: header: want %s", name, strings.Join(header, ","))
		}
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return fmt.Errorf("%s:%d: %w", name, parse.Line, parse.Err)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if !first {
			line, _ := records.FieldPos(0)
			each(csvRow{fields: fields, column: column, name: name, line: line})
		}
	}
}

// csvRow reads the fields of one record by name and collects faults.
type csvRow struct {
	fields []string
	column map[string]int
	name   string
	line   int
	bad    *faults
}

func (r csvRow) text(column string) string { return r.fields[r.column[column]] }

func (r csvRow) fault(column, want string) {
	r.bad.addf("%s:%d: column %s: %q: %s", r.name, r.line, column, r.text(column), want)
}

// count reads a whole number that is not negative.
func (r csvRow) count(column string) int {
	n, err := strconv.ParseUint(r.text(column), 10, 31)
	if err != nil {
		r.fault(column, "want a whole number, not negative")
	}
	return int(n)
}

func (r csvRow) flag(column string) bool {
	switch r.text(column) {
	case "0":
		return false
	case "1":
		return true
	}
	r.fault(column, "want 0 or 1")
	return false
}

func (r csvRow) number(column string) float64 {
	v, err := strconv.ParseFloat(r.text(column), 64)
	// v-v is zero for finite numbers only.
	if err != nil || v-v != 0 {
		r.fault(column, "want a number")
	}
	return v
}
