package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
)

// An interrupt between two runs is one by the user, and nothing begins after it.
func TestInterruptedBetweenRuns(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("interrupt signal received"))
	dir := filepath.Join(t.TempDir(), "run")
	e := experiment{core: "0", quiet: true}
	err := e.runAll(ctx, &State{Stderr: io.Discard}, 1, []lab.Config{{Dir: dir, Log: slog.New(slog.DiscardHandler)}})
	if !errors.Is(err, lab.ErrStopped) {
		t.Errorf("got error %v, want %v", err, lab.ErrStopped)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("a run has begun")
	}
}
