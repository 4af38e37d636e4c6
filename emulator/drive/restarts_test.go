package drive_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/results/trace"
)

// once wants each job of the workload once in sacct.txt.
func (b *bench) once(t *testing.T) {
	t.Helper()
	var names []string
	for _, row := range b.rows(t) {
		names = append(names, row.JobName)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"1", "2", "3"}) {
		t.Errorf("sacct has jobs %v, want each once", names)
	}
}

// A command that gets no answer, as while slurmctld is started again, fails no run. Whether an sbatch took effect is
// found out before it is tried again (issue 15, line 7).
func TestCommandsWithoutAnswer(t *testing.T) {
	for name, silent := range map[string]map[string]bool{
		"sbatch before it took effect":          {"sbatch 2": false},
		"sbatch after it took effect":           {"sbatch 2": true},
		"sbatch and the question what it did":   {"sbatch 2": true, "scontrol job": false},
		"squeue, sdiag and sacct at the end":    {"squeue": false, "sdiag": false, "sacct": false},
		"a release of the agent, in its effect": {"scontrol JobId=2": true},
	} {
		for _, held := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, held, 0, jobs()...)
					if held {
						b.driver.Scheduler = agent.New(agent.NewSlurm(b.driver.Client, b.driver.Client), auctiontest.Greedy{},
							agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 20})
					}
					b.silent = map[string]bool{}
					for command, after := range silent {
						b.silent[command] = after
					}
					if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
						t.Fatalf("end %+v", end)
					}
					b.once(t)
					if left := len(b.silent); left > 0 && (held || !strings.Contains(name, "agent")) {
						t.Errorf("%v: the test shows nothing", b.silent)
					}
				})
			})
		}
	}
}

// Slurm that never answers fails the run with that reason.
func TestSlurmThatNeverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		b.deaf = true
		end := b.driver.Drive(t.Context())
		if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, "slurm does not answer") {
			t.Fatalf("end %+v", end)
		}
	})
}

// A job that slurmctld forgot when it was killed is submitted again, and only then; the
// restart is an event.
func TestForgottenJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		b.forgotten = "2"
		b.driver.Watch = func(ctx context.Context, restarted func(drive.Outage)) error {
			time.Sleep(40 * time.Second)
			for _, daemon := range []string{"slurmdbd", "slurmctld", "slurmctld"} {
				restarted(drive.Outage{Daemon: daemon, How: "signal: killed", Died: b.driver.Clock.Now(), Real: time.Second, Virtual: time.Second})
				time.Sleep(10 * time.Second)
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}
		end := b.driver.Drive(t.Context())
		if end.Status != trace.StatusComplete || end.Submitted != 3 {
			t.Fatalf("end %+v", end)
		}
		b.once(t)
		for _, row := range b.rows(t) {
			if late := row.Submit.Sub(b.driver.Clock.Virtual); row.JobName == "2" && (late < 40*time.Second || late > 60*time.Second) {
				t.Errorf("job 2 was submitted %v after the start, want after the restart", late)
			}
		}
		var told []string
		for _, e := range b.events {
			if e.Restart != nil {
				told = append(told, e.Restart.Daemon)
			}
		}
		if !slices.Equal(told, []string{"slurmdbd", "slurmctld", "slurmctld"}) {
			t.Errorf("told restarts of %v", told)
		}
	})
}
