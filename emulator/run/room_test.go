package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/workloads"
)

// Disk room is asked for by the size of the workloads of all runs.
func TestRoom(t *testing.T) {
	small, large := Config{Spec: drive.Spec{Jobs: make([]workloads.Job, 400)}}, Config{Spec: drive.Spec{Jobs: make([]workloads.Job, 100_000)}}
	if got := Room(small); got != 89<<20 {
		t.Errorf("400 jobs: %d MB, want 89", got>>20)
	}
	if got := Room(small, large, large); got != (89+2*6314)<<20 {
		t.Errorf("three runs: %d MB", got>>20)
	}
	var env *EnvironmentError
	if err := checkRoom(t.TempDir()+"/new/run", 1<<62); !errors.As(err, &env) {
		t.Errorf("got %v, want a fault of the machine", err)
	}
}

// A disk that fills up during a run is seen while there is still room for its files.
func TestWatchRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		free := func(string) (uint64, error) {
			if time.Since(began) > time.Hour {
				return 17 << 20, nil
			}
			return 23 << 20, nil
		}
		err := watchRoom(t.Context(), "runs/a", 18<<20, free)
		const want = "stopped because the disk is full: the file system of runs/a has 17 MB left, the run keeps 18 MB for its files"
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if took := time.Since(began); took > time.Hour+2*roomInterval {
			t.Errorf("seen after %v", took)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(err)
		if reason := stopReason(ctx); !errors.Is(reason, err) {
			t.Errorf("the run's reason is %v, want %v", reason, err)
		}
		if err := watchRoom(ctx, "runs/a", 18<<20, func(string) (uint64, error) { return 0, errors.New("stale") }); err != nil {
			t.Errorf("after its end: %v", err)
		}
	})
}
