package drive_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// leavers are a job that takes the machine for five minutes, one whose user cancels it
// while it waits for that, and one that comes later.
func leavers() []workloads.Job {
	return []workloads.Job{
		{ID: 1, Runtime: 300, Limit: 600, Cores: 32, Class: "a"},
		{ID: 2, Arrival: 10, Limit: 600, Cores: 32, Class: "a", Outcome: workloads.CancelledPending, CancelAfter: 100},
		{ID: 3, Arrival: 200, Runtime: 60, Limit: 600, Cores: 32, Class: "a"},
	}
}

// A job is cancelled to the second so long after its submission, also while the agent
// holds it, also if its submission was late, and if scancel gets no answer at first.
func TestUsersCancelWaitingJobs(t *testing.T) {
	for name, prepare := range map[string]func(*bench){
		"under Slurm":     func(*bench) {},
		"under the agent": (*bench).auctions,
		"late":            func(b *bench) { b.silent = map[string]bool{"sbatch 2": false} },
		"unanswered":      func(b *bench) { b.silent = map[string]bool{"scancel": true} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, name == "under the agent", 0, leavers()...)
				prepare(b)
				if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete || end.Submitted != 3 {
					t.Fatalf("end %+v", end)
				}
				states := map[string]string{"1": "COMPLETED", "2": "CANCELLED", "3": "COMPLETED"}
				for _, row := range b.rows(t) {
					if row.State != states[row.JobName] {
						t.Errorf("%+v", row)
					}
					if waited := row.End.Sub(row.Submit); row.JobName == "2" && (waited != 100*time.Second || row.NodeList != nil) {
						t.Errorf("cancelled after %v: %+v", waited, row)
					}
					delete(states, row.JobName)
				}
				if len(states) > 0 {
					t.Errorf("no rows of %v", states)
				}
			})
		})
	}
}

// A job that starts before its user gives up ends by itself. The run does not wait for
// when its user would have given up.
func TestJobsThatStartInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := leavers()
		list[1].CancelAfter = 100_000
		b := newBench(t, false, 0, list...)
		began := time.Now()
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		if took := time.Since(began); took > time.Hour {
			t.Errorf("the run took %v", took)
		}
		rows := b.rows(t)
		if at := indexOf(rows, "2"); at < 0 || len(rows[at].NodeList) == 0 || rows[at].Elapsed > 1 {
			t.Errorf("%+v", rows)
		}
	})
}

func indexOf(rows []accounting.Row, job string) int {
	for i, row := range rows {
		if row.JobName == job {
			return i
		}
	}
	return -1
}
