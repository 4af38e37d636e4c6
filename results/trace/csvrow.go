package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// readCSV checks the header, whose last columns may be missing together, as many as later says, and calls each for
// every further record.
func readCSV(r io.Reader, name string, header []string, later int, each func(csvRow)) error {
	records := csv.NewReader(r)
	column := make(map[string]int, len(header))
	for i, h := range header {
		column[h] = i
	}
	for first := true; ; first = false {
		fields, err := records.Read()
		if errors.Is(err, io.EOF) && !first {
			return nil
		}
		if first && (errors.Is(err, io.EOF) || err == nil && !slices.Equal(fields, header) && !slices.Equal(fields, header[:len(header)-later])) {
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
			each(csvRow{fields: fields, column: column, line: line})
		}
	}
}

// csvRow reads the fields of one record by name and collects faults.
type csvRow struct {
	fields []string
	column map[string]int
	line   int
	bad    *faults.List
}

func (r csvRow) text(column string) string { return r.fields[r.column[column]] }

// later is the text of a column that may be missing.
func (r csvRow) later(column string) string {
	if r.column[column] >= len(r.fields) {
		return ""
	}
	return r.text(column)
}

func (r csvRow) fault(column, want string) {
	r.bad.Addf(r.line, "column %s: %q: %s", column, r.text(column), want)
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
