package drive_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// byName has the accounting of each job of the workload.
func byName(rows []accounting.Row) map[string]accounting.Row {
	named := map[string]accounting.Row{}
	for _, row := range rows {
		named[row.JobName] = row
	}
	return named
}

// A job is charged to its account. It begins no earlier than it may, after hours in which nothing else happens. It
// waits for what it depends on, also for a job that ended long before it was submitted.
func TestTermsOfJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0,
			workloads.Job{ID: 31, Runtime: 300, Limit: 600, Cores: 1, Class: "a", User: "eve"},
			workloads.Job{ID: 7, Runtime: 60, Limit: 600, Cores: 1, Class: "a", User: "eve", Terms: workloads.Terms{Account: "astro", Dependency: "afterok:31"}},
			workloads.Job{ID: 8, Runtime: 60, Limit: 600, Cores: 1, Class: "a", Terms: workloads.Terms{BeginAfter: 5 * 3600}},
			workloads.Job{ID: 9, Runtime: 60, Limit: 600, Cores: 1, Class: "a", Terms: workloads.Terms{Dependency: "after:31"}},
			workloads.Job{ID: 10, Arrival: 8 * 3600, Runtime: 60, Limit: 600, Cores: 1, Class: "a", Terms: workloads.Terms{Dependency: "afterany:7"}})
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		rows := byName(b.rows(t))
		for name, want := range map[string]string{"31": "eve", "7": "astro", "8": "root", "9": "root", "10": "root"} {
			if got := rows[name].Account; got != want {
				t.Errorf("job %s is charged to %q, want %q", name, got, want)
			}
		}
		if rows["7"].Start.Before(rows["31"].End) {
			t.Errorf("job 7 started at %v, job 31 ended at %v", rows["7"].Start, rows["31"].End)
		}
		if rows["9"].Start.Before(rows["31"].Start) || !rows["9"].Start.Before(rows["31"].End) {
			t.Errorf("job 9 started at %v, job 31 ran from %v to %v", rows["9"].Start, rows["31"].Start, rows["31"].End)
		}
		if begin := rows["8"].Submit.Add(5 * time.Hour); rows["8"].Start.Before(begin) {
			t.Errorf("job 8 was submitted at %v and started at %v, want five hours later", rows["8"].Submit, rows["8"].Start)
		}
	})
}

// What waits for the success of a job that failed against the plan ends the run, with Slurm's reason.
func TestDependencyIsNeverSatisfied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0,
			workloads.Job{ID: 1, Runtime: 300, Limit: 600, Cores: 1, Class: "a"},
			workloads.Job{ID: 2, Runtime: 60, Limit: 600, Cores: 1, Class: "a", Terms: workloads.Terms{Dependency: "afterok:1"}})
		time.AfterFunc(30*time.Second, func() {
			if _, err := b.slurm.Run(t.Context(), nil, "scancel", "1"); err != nil {
				t.Error(err)
			}
		})
		end := b.driver.Drive(t.Context())
		if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, "while 1 wait: DependencyNeverSatisfied") {
			t.Fatalf("end %+v", end)
		}
	})
}
