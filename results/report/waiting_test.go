package report

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// A job that the agent cannot schedule is listed with its last reason; one whose
// obstacle went away is not.
func TestHeldJobs(t *testing.T) {
	r := incompleteRun("r1", "auction", trace.StatusIncomplete, "interrupted by the user")
	r.Cycles = []trace.Cycle{
		{Cycle: 1, Time: 5, Unplaced: []trace.Refusal{{Job: 3, Reason: "it names several partitions, a,b"}, {Job: 2, Reason: "it wants 2 CPUs per task"}}},
		{Cycle: 2, Time: 10, Unplaced: []trace.Refusal{{Job: 3, Reason: ""}}},
		{Cycle: 3, Time: 15, Unplaced: []trace.Refusal{{Job: 4, Reason: "<odd>"}}},
	}
	var got []string
	for _, cells := range write(t, Input{Runs: []metric.Result{r}}).class("held").rows()[1:] {
		got = append(got, strings.Join(cells, "|"))
	}
	want := "2|1|5|it wants 2 CPUs per task\n4|3|15|<odd>"
	if strings.Join(got, "\n") != want {
		t.Errorf("held jobs\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

func TestLongestWaits(t *testing.T) {
	var jobs []trace.FinishedJob
	for i, start := range []float64{10, trace.NeverStarted, 70, 0, 70, 90, 20, 30} {
		j := trace.FinishedJob{Start: start, Allocated: []int{1, 2}, AllocCores: 8, AllocGPUs: 2}
		if start > 0 {
			// Tables are in hours.
			j.Start = 3600 * start
		}
		j.ID = i + 1
		jobs = append(jobs, j)
	}
	var got []string
	run := metric.Result{Path: "my runs/it's", Data: trace.Data{Jobs: jobs}, Metrics: &metric.Metrics{}}
	run.Run.Policy, run.Run.Parameters = "auction", []byte(`{"window":500}`)
	if header := longestWaits(run)[0].Tables[0].Header; len(header) != 5 {
		t.Errorf("nothing was recorded: got columns %v", header)
	}
	run.Recorded = true
	for _, row := range longestWaits(run)[0].Tables[0].Rows {
		got = append(got, row[1].Text+" "+row[5].Text)
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

// "slurmlab explain" replays recorded cycles, and models backfill without any. The report does not suggest it for a
// run under a program of the papers, whose cycles are not recorded.
func TestExplainIsNamedWhereItCanAnswer(t *testing.T) {
	for _, test := range []struct {
		policy   string
		recorded bool
		want     bool
	}{
		{"auction", true, true}, {"auction", false, false}, {"ipsched", false, false}, {"auction1", false, false},
		{"backfill", false, true}, {"fifo", false, true},
	} {
		r := completeRun(t, "r1", "auction", 40, 60)
		r.Run.Policy, r.Recorded = test.policy, test.recorded
		if test.policy == "backfill" || test.policy == "fifo" {
			r.Run.Parameters, r.Cycles = []byte("{}"), nil
		}
		compute(t, &r)
		waits := write(t, Input{Runs: []metric.Result{r}}).class("waits")
		if got := strings.Contains(waits.words(), "slurmlab explain runs/r1 --job "); got != test.want {
			t.Errorf("%s, recorded %v: explain is named: %v, want %v", test.policy, test.recorded, got, test.want)
		}
		if columns := len(waits.rows()[0]); (columns == 6) != test.want {
			t.Errorf("%s, recorded %v: %d columns", test.policy, test.recorded, columns)
		}
	}
}
