package drive_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Questions cost slurmctld time: a run without an agent asks once before it begins, and then
// only whether its queue is empty in the end.
func TestObservingAsksSlurmBeforeAndAtTheEndOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		if b.queued != 2 {
			t.Errorf("squeue was called %d times, want once before the run and once at its end", b.queued)
		}
	})
}

// A run begins half way between two seconds of Slurm.
func TestRunsBeginInTheSamePhase(t *testing.T) {
	for _, late := range []time.Duration{0, 300 * time.Millisecond, 900 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(late)
			b := newBench(t, false, 0, jobs()...)
			began := time.Now()
			b.driver.Drive(t.Context())
			if wait := b.first.Sub(began); b.first.Nanosecond() != int(time.Second/2) || wait > 2*time.Second {
				t.Errorf("first submission %v after the start, at %v", wait, b.first)
			}
		})
	}
}

// Progress counts what is done, and never backwards.
func TestProgressComesFromTheEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 3*time.Second, jobs()...)
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		last, running := drive.Progress{}, 0
		for _, e := range b.events {
			p := *e.Progress
			if p.Time < last.Time || p.Submitted < last.Submitted || p.Done < last.Done || p.Done > p.Submitted {
				t.Fatalf("progress %+v after %+v", p, last)
			}
			last, running = p, max(running, p.Running)
		}
		if last.Done != 3 || last.Running != 0 || running == 0 {
			t.Errorf("last progress %+v, at most %d running", last, running)
		}
	})
}

// Slurm reports an end before sbatch has told the job's id, for a job that it
// then requeues, twice, and for jobs of others.
func TestEndsMayBeReportedEarlyAndTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		ends := b.driver.Ends
		b.driver.Ends = func(ctx context.Context, ended func(int)) error {
			for _, id := range []int{1, 2, 3, 2, 99} {
				ended(id)
			}
			return ends(ctx, ended)
		}
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		for _, row := range b.rows(t) {
			if row.State != "COMPLETED" {
				t.Errorf("row %+v: the run ended before its jobs", row)
			}
		}
	})
}

// A job that is cancelled while it waits is over as well.
func TestCancelledJobEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true, 0, workloads.Job{ID: 9, Runtime: 60, Limit: 300, Cores: 1, Class: "a"})
		time.AfterFunc(time.Minute, func() {
			if err := b.driver.Client.Cancel(context.Background(), 1); err != nil {
				t.Error(err)
			}
		})
		begin := time.Now()
		b.driver.Drive(t.Context())
		// It never was eligible, so accounting has no row and the run is not
		// complete; but nobody waits for it for an hour.
		if last := b.events[len(b.events)-1].Progress; last.Done != 1 || time.Since(begin) > 10*time.Minute {
			t.Errorf("last progress %+v after %v", last, time.Since(begin))
		}
	})
}

// A completion log that misses an end must not pass for a cluster that works.
func TestMissingEndIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0, jobs()...)
		b.driver.Ends = func(ctx context.Context, ended func(int)) error {
			ended(1)
			<-ctx.Done()
			return context.Cause(ctx)
		}
		end := b.driver.Drive(t.Context())
		if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, "no job is left, but Slurm reported the end of 1 only") {
			t.Fatalf("end %+v", end)
		}
	})
}

// A long run with one long job is not stuck.
func TestLongJobIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false, 0,
			workloads.Job{ID: 1, Runtime: 3 * 3600, Limit: 4 * 3600, Cores: 1, Class: "a"},
			workloads.Job{ID: 2, Arrival: 6 * 3600, Runtime: 60, Limit: 300, Cores: 1, Class: "a"})
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
	})
}
