package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// maxWaits is the number of jobs whose waits a run lists.
const maxWaits = 5

// heldJobs lists the jobs that the agent could not schedule to the end: those whose last recorded obstacle was never
// reported as gone, by job.
func heldJobs(cycles []trace.Cycle) []Section {
	last := make(map[int][]Cell)
	for _, c := range cycles {
		for _, u := range c.Unplaced {
			last[u.Job] = []Cell{count(u.Job), count(c.Cycle), number(text.Number(c.Time)), soft(u.Reason)}
		}
	}
	t := Table{Class: "held"}
	for _, job := range slices.Sorted(maps.Keys(last)) {
		if row := last[job]; row[3].Text != "" {
			t.Rows = append(t.Rows, row)
		}
	}
	return t.first(maxListed).withHeader("Job", "Since cycle", "Time [s]", "Why the agent cannot schedule it").part("Jobs that stayed held")
}

// longestWaits lists the started jobs that waited longest, jobs with equal waits by number, each with the command that says why
// if there is one.
func longestWaits(r metric.Result) []Section {
	if r.Metrics == nil {
		return nil
	}
	t, header := Table{Class: "waits"}, []string{"Job", "Waited [h]", "Nodes", "Cores", "GPUs"}
	waits := r.Waits()
	for _, j := range waits[:min(maxWaits, len(waits))] {
		row := []Cell{count(j.ID), number(text.Number(metric.Hours.InTable(j.TotalWait()))), count(len(j.Allocated)), count(j.AllocCores), count(j.AllocGPUs)}
		if r.Explainable() {
			row = append(row, code(fmt.Sprintf("slurmlab explain %s --job %d", pathWord(r.Path), j.ID)))
		}
		t.Rows = append(t.Rows, row)
	}
	if r.Explainable() {
		header = append(header, "Why")
	}
	return t.withHeader(header...).part("Longest waits")
}

// pathWord is the path of a run as a shell takes it.
func pathWord(path string) string {
	if path == "" {
		return "DIR"
	}
	return text.ShellWord(path)
}
