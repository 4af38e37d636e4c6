package workloads

import "strconv"

// What package interchange needs to write other people's jobs as a workload.

// CSVHeader is the first line of workload.csv after its comments.
func CSVHeader() string { return csvHeader }

// DefaultLimit is the time limit in seconds of a job that was given none, by
// the default limit model of a Spec.
func DefaultLimit(runtime int) int {
	l := defaultLimit()
	return l.seconds(ppm(l.Factor), runtime)
}

// AppendCSV appends the job's row of a workload.csv without users, with its
// line feed. The job is not checked.
func (j Job) AppendCSV(row []byte) []byte { return append(j.appendRow(row), '\n') }

func (j Job) appendRow(row []byte) []byte {
	for _, n := range []int{j.ID, j.Arrival, j.Runtime, j.Limit, j.Nodes, j.Cores, j.CoresPerNode, j.GPUsMin, j.GPUsMax} {
		row = append(strconv.AppendInt(row, int64(n), 10), ',')
	}
	contiguous := "0,"
	if j.Contiguous {
		contiguous = "1,"
	}
	return append(append(row, contiguous...), j.Class...)
}
