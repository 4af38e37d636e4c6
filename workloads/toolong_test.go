package workloads

import (
	"fmt"
	"strings"
	"testing"
)

// A list of more jobs than a run takes is refused with their number, and takes no memory for those beyond.
func TestListsThatAreTooLong(t *testing.T) {
	const rows = 3 * MaxJobs
	var table, text, times strings.Builder
	table.WriteString(CSVHeader(Columns{}) + "\n")
	for i := range rows {
		_, _ = fmt.Fprintf(&table, "%d,0,1,60,0,1,0,0,0,0,a\n", i+1)
		text.WriteString("10 -n 1\n")
		times.WriteString("7\n")
	}
	want := fmt.Sprintf("x: jobs: got %d, allowed 1..%d", rows, MaxJobs)
	_, _, _, err := parseCSV("x", []byte(table.String()))
	wantError(t, err, want)
	_, _, err = parseText("x", []byte(text.String()))
	wantError(t, err, want)
	_, err = parseArrivals("x", []byte(times.String()))
	wantError(t, err, strings.Replace(want, "jobs", "arrivals", 1))

	list := newTable("x")
	for i := range rows {
		list.addJob(i+2, Job{ID: i + 1, Runtime: 1, Limit: 60, Cores: 1})
	}
	if list.rows != rows || len(list.jobs) != MaxJobs || len(list.seen) != MaxJobs {
		t.Errorf("got %d rows, %d jobs and %d ids, want %d, and %[5]d of both", list.rows, len(list.jobs), len(list.seen), rows, MaxJobs)
	}
}
