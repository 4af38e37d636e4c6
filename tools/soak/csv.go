package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// header is the first line of the file.
func header() []string {
	return []string{"process", "real_s", "jobs_ended", "processes", "memory_kib", "descriptors", "threads", "cpu_s"}
}

// writeCSV writes samples with a header.
func writeCSV(w io.Writer, all []sample) error {
	out := csv.NewWriter(w)
	rows := [][]string{header()}
	for _, s := range all {
		rows = append(rows, []string{
			s.Process, strconv.FormatFloat(s.Seconds, 'f', 1, 64), strconv.Itoa(s.Ended), strconv.Itoa(s.Count),
			strconv.Itoa(s.Memory), strconv.Itoa(s.Descriptors), strconv.Itoa(s.Threads), strconv.FormatFloat(s.CPU, 'f', 2, 64),
		})
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write samples: %w", err)
	}
	return nil
}

// readCSV reads what writeCSV wrote; name is the file's, for errors.
func readCSV(r io.Reader, name string) ([]sample, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(header())
	first, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("read samples: %s: %w", name, err)
	}
	if !slices.Equal(first, header()) {
		return nil, fmt.Errorf("read samples: %s:1: got the columns %q, want %q", name, first, header())
	}
	var all []sample
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read samples: %s: %w", name, err)
		}
		s := sample{Process: row[0]}
		for i, to := range []any{nil, &s.Seconds, &s.Ended, &s.Count, &s.Memory, &s.Descriptors, &s.Threads, &s.CPU} {
			switch to := to.(type) {
			case *int:
				*to, err = strconv.Atoi(row[i])
			case *float64:
				*to, err = strconv.ParseFloat(row[i], 64)
			}
			if err != nil {
				line, _ := in.FieldPos(i)
				return nil, fmt.Errorf("read samples: %s:%d: %s: got %q, want a number", name, line, header()[i], row[i])
			}
		}
		all = append(all, s)
	}
}
