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

// However much of a cluster looks alive, a run ends when nothing happens any more.
func TestStuckRunsEnd(t *testing.T) {
	later := func(b *bench, act func()) {
		time.AfterFunc(30*time.Second, func() { b.mu.Lock(); act(); b.mu.Unlock() })
	}
	tests := []struct {
		name       string
		hold       bool
		completing time.Duration
		breaks     func(b *bench)
		want       string
	}{
		{"slurmd leaves the directory of a job that has ended", true, 0, func(b *bench) {
			b.driver.Running = func() ([]int, error) { return []int{77}, nil }
		}, "no job ran for"},
		{"a job runs for ever", false, 0, func(b *bench) {
			later(b, func() { b.frozen = true })
		}, "an hour more than the longest limit: job 1 is RUNNING"},
		{"a job completes for ever", false, 1000 * time.Hour, func(*bench) {}, "none ended: job 1 is COMPLETING"},
		{"sbatch hangs", false, 0, func(b *bench) { b.hangs = "3" }, "sbatch has not taken job 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, tt.hold, tt.completing, jobs()...)
				tt.breaks(b)
				ctx, stop := context.WithTimeout(t.Context(), 12*time.Hour)
				defer stop()
				end := b.driver.Drive(ctx)
				if end.Status != trace.StatusFailed || !strings.Contains(end.Reason, tt.want) {
					t.Fatalf("end %+v, want %q", end, tt.want)
				}
			})
		})
	}
}

// A job that takes nearly its whole limit is not stuck, although nothing else happens and its directory is the only
// sign of it. Neither is one that Slurm requeued after it had reported its end.
func TestPatienceLastsForTheLongestLimit(t *testing.T) {
	for _, requeued := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, false, 0,
				workloads.Job{ID: 1, Runtime: 60, Limit: 300, Cores: 1, Class: "a"},
				workloads.Job{ID: 2, Runtime: 5*3600 - 60, Limit: 5 * 3600, Cores: 1, Class: "a"})
			if requeued {
				time.AfterFunc(time.Minute, func() { b.mu.Lock(); b.ended(2); b.mu.Unlock() })
			}
			if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
				t.Fatalf("end %+v", end)
			}
		})
	}
}

func TestSignsOfLifeComeInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signs := 0
		ctx, stop := context.WithTimeout(t.Context(), 60*time.Second-time.Nanosecond)
		defer stop()
		err := drive.StayAlive(ctx, func() error {
			signs++
			return nil
		})
		if want := int(time.Minute / drive.AliveInterval); signs != want || ctx.Err() == nil {
			t.Errorf("%d signs of life in a minute, want %d; %v", signs, want, err)
		}
	})
}
