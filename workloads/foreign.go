package workloads

import (
	"strconv"
	"strings"
)

// This file has what package interchange needs in order to write other people's jobs as
// a workload.

// CSVHeader is the first line of workload.csv after its comments, with or
// without the column of users.
func CSVHeader(users bool) string {
	if users {
		return csvHeader + userColumn
	}
	return csvHeader
}

// IsUser tells the names that a Job.User may have: those of Slurm accounts,
// without capitals, because sacctmgr makes them small, and without a - at the beginning,
// which sacctmgr would take for an option. Empty is nobody.
func IsUser(text string) bool {
	return text == "" || isClass(text) && text == strings.ToLower(text) && text[0] != '-'
}

// DefaultLimit is the time limit in seconds of a job that was given none, by
// the default limit model of a Spec.
func DefaultLimit(runtime int) int {
	l := defaultLimit()
	return l.seconds(ppm(l.Factor), runtime)
}

// AppendCSV appends the job's row of a workload.csv with or without users, and
// its line feed. The job is not checked.
func (j Job) AppendCSV(row []byte, users bool) []byte {
	for _, n := range []int{j.ID, j.Arrival, j.Runtime, j.Limit, j.Nodes, j.Cores, j.CoresPerNode, j.GPUsMin, j.GPUsMax} {
		row = append(strconv.AppendInt(row, int64(n), 10), ',')
	}
	contiguous := "0,"
	if j.Contiguous {
		contiguous = "1,"
	}
	row = append(append(row, contiguous...), j.Class...)
	if users {
		row = append(append(row, ','), j.User...)
	}
	return append(row, '\n')
}
