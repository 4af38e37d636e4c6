package report

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
)

// A job that the agent cannot schedule is listed with its last reason; one whose
// obstacle went away is not.
func TestHeldJobs(t *testing.T) {
	r := incompleteRun("r1", "auction", trace.StatusIncomplete, "interrupted by the user")
	r.Data.Cycles = []trace.Cycle{
		{Cycle: 1, Time: 5, Unplaced: []trace.Refusal{{Job: 3, Reason: "it names several partitions, a,b"}, {Job: 2, Reason: "it wants 2 CPUs per task"}}},
		{Cycle: 2, Time: 10, Unplaced: []trace.Refusal{{Job: 3, Reason: ""}}},
		{Cycle: 3, Time: 15, Unplaced: []trace.Refusal{{Job: 4, Reason: "<odd>"}}},
	}
	var got []string
	for _, cells := range write(t, Input{Runs: []Run{r}}).class("held").rows()[1:] {
		got = append(got, strings.Join(cells, "|"))
	}
	want := "2|1|5|it wants 2 CPUs per task\n4|3|15|<odd>"
	if strings.Join(got, "\n") != want {
		t.Errorf("held jobs\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

func TestLongestWaits(t *testing.T) {
	var jobs []trace.Job
	for i, start := range []float64{10, trace.NeverStarted, 70, 0, 70, 90, 20, 30} {
		j := trace.Job{Start: start, Allocated: []int{1, 2}, AllocCores: 8, AllocGPUs: 2}
		j.ID = i + 1
		jobs = append(jobs, j)
	}
	var got []string
	for _, r := range waitRows("my runs/it's", jobs) {
		got = append(got, r.Waited+" "+r.Explain)
	}
	want := `90 slurmlab explain 'my runs/it'\''s' --job 6
70 slurmlab explain 'my runs/it'\''s' --job 3
70 slurmlab explain 'my runs/it'\''s' --job 5
30 slurmlab explain 'my runs/it'\''s' --job 8
20 slurmlab explain 'my runs/it'\''s' --job 7`
	if strings.Join(got, "\n") != want {
		t.Errorf("longest waits\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}
