package run

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/results/trace"
)

// The bond of a container follows from its run directory, while a run goes on, after
// its slurmlab was killed, and after it ended.
func TestBonds(t *testing.T) {
	c := placed(t, filepath.Join(t.TempDir(), "run"))
	dir, record, lock := begun(t, c)
	container := Container{ID: "0123456789abcdef", Role: slurm.RoleRun, State: "running", Owner: ownerOf(dir), Created: time.Now()}
	bond := func(when string, container Container, want Bond) {
		t.Helper()
		if got := container.Bond(); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	bond("while the run goes on", container, BondHeld)
	kept := container
	kept.Role = slurm.RoleUp
	bond("a cluster that a user keeps", kept, BondHeld)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	bond("after its slurmlab was killed", container, BondOrphan)
	record.Container = container.ID
	finishes(t, dir, record, trace.StatusIncomplete)
	bond("after its slurmlab was killed when all jobs had ended", container, BondKept)
	record.Finished, record.Container = time.Now(), ""
	finishes(t, dir, record, trace.StatusFailed)
	bond("after its slurmlab ended", container, BondLeft)

	other := container
	other.Owner = "elsewhere:" + dir.Path()
	bond("of another machine", other, BondHeld)
	other.State = "exited"
	bond("of another machine, and just ended", other, BondHeld)
	other.Created = time.Now().Add(-time.Hour)
	bond("of another machine, and ended long ago", other, BondStray)
	if err := os.RemoveAll(dir.Path()); err != nil {
		t.Fatal(err)
	}
	bond("without its directory", container, BondHeld)
}
