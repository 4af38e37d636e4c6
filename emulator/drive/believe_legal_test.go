package drive_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads"
)

// requeued is a Slurm that has started job 2 again: sacct shows a row for each try, and the later one was submitted when
// the job was requeued (batch_requeue_fini in src/slurmctld/job_mgr.c).
type requeued struct{ slurmctl.Runner }

func (r requeued) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	out, err := r.Runner.Run(ctx, stdin, argv...)
	if argv[0] != "sacct" || err != nil {
		return out, err
	}
	again, err := forged{fixed(out), "2", "Submit", later(30 * time.Second)}.Run(ctx, stdin, argv...)
	_, rows, _ := strings.Cut(string(again), "\n")
	return append(out, rows...), err
}

// fixed gives one answer.
type fixed []byte

func (f fixed) Run(context.Context, []byte, ...string) ([]byte, error) { return f, nil }

// dies is a slurmctld that dies 40 seconds after the beginning, and serves again.
func (b *bench) dies(ctx context.Context, restarted func(drive.Outage)) error {
	time.Sleep(40 * time.Second)
	restarted(drive.Outage{Daemon: "slurmctld", How: "signal: killed", Died: b.driver.Clock.Now(), Real: time.Second, Virtual: time.Second})
	<-ctx.Done()
	return context.Cause(ctx)
}

// What Slurm and slurmlab do themselves is no changed database.
func TestAccountingOfRareEvents(t *testing.T) {
	left := append(jobs(), workloads.Job{ID: 4, Arrival: 100, Runtime: 60, Limit: 300, Cores: 32, Class: "a", Outcome: workloads.CancelledPending, CancelAfter: 5})
	for name, tt := range map[string]struct {
		jobs []workloads.Job
		make func(*bench)
		// completed changes what slurmctld wrote.
		completed func([]drive.Heard) []drive.Heard
	}{
		"a job was requeued":                            {make: func(b *bench) { b.driver.Client.Runner = requeued{b.driver.Client.Runner} }},
		"a job left the queue":                          {jobs: left},
		"a submission took long":                        {make: func(b *bench) { b.slowly = map[string]time.Duration{"sbatch 2": 40 * time.Second} }},
		"a submission got no answer and took effect":    {make: func(b *bench) { b.silent = map[string]bool{"sbatch 2": true} }},
		"a submission got no answer and took no effect": {make: func(b *bench) { b.silent = map[string]bool{"sbatch 2": false} }},
		"slurmctld forgot a submission":                 {make: func(b *bench) { b.forgotten, b.driver.Watch = "2", b.dies }},
		"slurmctld forgot a start and the job was cancelled": {make: func(b *bench) { b.driver.Watch = b.dies }, completed: func(all []drive.Heard) []drive.Heard {
			all[1].Started = time.Time{}
			return all
		}},
		"slurmctld forgot an end": {make: func(b *bench) { b.driver.Watch = b.dies }, completed: func(all []drive.Heard) []drive.Heard {
			first := all[1]
			first.Ended = first.Ended.Add(-5 * time.Second)
			return append([]drive.Heard{first}, all...)
		}},
		"slurmctld died before it wrote an end": {make: func(b *bench) { b.driver.Watch = b.dies }, completed: func(all []drive.Heard) []drive.Heard { return all[1:] }},
		"slurmctld forgot a job that had ended": {make: func(b *bench) { b.driver.Watch = b.dies }, completed: func(all []drive.Heard) []drive.Heard {
			return append(all, drive.Heard{ID: 99, Ended: time.Now()})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.jobs == nil {
					tt.jobs = jobs()
				}
				b := newBench(t, false, 0, tt.jobs...)
				if tt.make != nil {
					tt.make(b)
				}
				b.driver.Completed = func() ([]drive.Heard, error) {
					all, err := b.completions()
					if err == nil && tt.completed != nil {
						all = tt.completed(all)
					}
					return all, err
				}
				if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
					t.Errorf("end %+v", end)
				}
			})
		})
	}
}

// A run that goes on from a checkpoint knows that slurmctld died before: the log of completed jobs is in the checkpoint
// (boot.CheckpointDirs), with a job that slurmctld has forgotten.
func TestRestartBeforeCheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, pastAndFuture()...)
		watch := b.driver.Watch
		b.driver.Watch, b.driver.Request.StopAt = b.dies, 100
		b.driver.Freeze = func(context.Context) error { return nil }
		end := b.driver.Drive(t.Context())
		if end.Position == nil || !end.Position.Revived {
			t.Fatalf("end %+v", end)
		}
		b.driver.Watch, b.driver.Request.StopAt, b.driver.Request.From = watch, 0, end.Position
		b.driver.Completed = func() ([]drive.Heard, error) {
			return b.completions(drive.Heard{ID: 99, Ended: end.Position.Instant})
		}
		if end = b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Errorf("end %+v", end)
		}
	})
}
