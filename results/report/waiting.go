package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/format"
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
			last[u.Job] = heldRow{Job: u.Job, Cycle: c.Cycle, Time: format.Number(c.Time), Reason: u.Reason}
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
	var started []trace.FinishedJob
	for _, j := range r.Jobs {
		if j.Start != trace.NeverStarted && j.Waiting() > 0 {
			started = append(started, j)
		}
	}
	slices.SortStableFunc(started, func(a, b trace.FinishedJob) int {
		return cmp.Or(cmp.Compare(b.Waiting(), a.Waiting()), a.ID-b.ID)
	})
	var rows []waitRow
	for _, j := range started[:min(longestWaits, len(started))] {
		row := waitRow{
			Job: j.ID, Waited: format.Number(j.Waiting()), Nodes: len(j.Allocated),
			Cores: count(j.AllocCores), GPUs: count(j.AllocGPUs),
		}
		if r.Explainable() {
			row.Explain = fmt.Sprintf("slurmlab explain %s --job %d", shellWord(r.Path), j.ID)
		}
		rows = append(rows, row)
	}
	return rows
}

// shellWord quotes a path for a shell where it needs that.
func shellWord(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:=@%", r)
	}
	switch {
	case path == "":
		return "DIR"
	case strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0:
		return path
	default:
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
}
