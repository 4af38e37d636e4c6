package report

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// longestWaits is the number of jobs whose waits a run lists.
const longestWaits = 5

// heldRow is a job that the agent could not schedule to the end.
type heldRow struct {
	Job, Cycle int // the cycle in which the reason was recorded
	Time       string
	Reason     string
}

// heldRows are the jobs whose last recorded obstacle was never reported as gone,
// by job.
func heldRows(cycles []trace.Cycle) []heldRow {
	last := make(map[int]heldRow)
	for _, c := range cycles {
		for _, u := range c.Unplaced {
			last[u.Job] = heldRow{Job: u.Job, Cycle: c.Cycle, Time: text.Number(c.Time), Reason: u.Reason}
		}
	}
	var rows []heldRow
	for _, r := range last {
		if r.Reason != "" {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b heldRow) int { return a.Job - b.Job })
	return rows
}

// waitRow is a job with a long wait and the command that says why, empty where
// none can.
type waitRow struct {
	Job         int
	Waited      string
	Nodes       int
	Cores, GPUs string
	Explain     string
}

// waitRows are the started jobs that waited longest, those of equal waits by job.
func waitRows(r metric.Result) []waitRow {
	var rows []waitRow
	waits := r.Waits()
	for _, j := range waits[:min(longestWaits, len(waits))] {
		row := waitRow{
			Job: j.ID, Waited: text.Number(j.TotalWait()), Nodes: len(j.Allocated),
			Cores: count(j.AllocCores), GPUs: count(j.AllocGPUs),
		}
		if r.Explainable() {
			row.Explain = fmt.Sprintf("slurmlab explain %s --job %d", pathWord(r.Path), j.ID)
		}
		rows = append(rows, row)
	}
	return rows
}

// pathWord is the path of a run as a shell takes it.
func pathWord(path string) string {
	if path == "" {
		return "DIR"
	}
	return text.ShellWord(path)
}
