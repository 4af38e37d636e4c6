package trace

import (
	"encoding/csv"
	"fmt"
	"io"
)

// batsimColumns is how many of JobsColumns are Batsim's.
const batsimColumns = 17

// WriteBatsimJobs writes Batsim's part of jobs.csv, for tools that want
// Batsim's columns and no more.
func WriteBatsimJobs(w io.Writer, workloadName string, jobs []FinishedJob) error {
	out := csv.NewWriter(w)
	rows := [][]string{JobsColumns()[:batsimColumns]}
	for _, j := range jobs {
		rows = append(rows, jobFields(workloadName, JobRecord{FinishedJob: j})[:batsimColumns])
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write jobs: %w", err)
	}
	return nil
}

// BatsimState maps a final Slurm state to Batsim's (docs/output-jobs.rst).
func BatsimState(state string) string {
	switch state {
	case "COMPLETED":
		return "COMPLETED_SUCCESSFULLY"
	case "FAILED", "OUT_OF_MEMORY":
		return "COMPLETED_FAILED"
	case "TIMEOUT":
		return "COMPLETED_WALLTIME_REACHED"
	default:
		return "COMPLETED_KILLED"
	}
}
