package run

import (
	"os"
	"path/filepath"
	"strings"
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
	container := Container{ID: "0123456789abcdef", Role: slurm.RoleRun, State: "running", Owner: OwnerOf(dir.Path()), Created: time.Now()}
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
	bond("of another machine, and not started yet", other, BondHeld)
	other.Created, other.Ended = time.Now().Add(-time.Hour), time.Now()
	bond("of another machine, and just ended", other, BondHeld)
	other.Ended = time.Now().Add(-2 * aMoment)
	bond("of another machine, and ended long ago", other, BondStray)
	same := container
	same.Owner = hostname() + "+00000000:" + dir.Path()
	bond("of another machine of the same name", same, BondHeld)

	if _, err := dir.Pack(true); err != nil {
		t.Fatal(err)
	}
	bond("after its slurmlab ended, of an archived run", container, BondLeft)
	if err := os.Remove(trace.ArchiveOf(dir.Path())); err != nil {
		t.Fatal(err)
	}
	bond("without its directory", container, BondHeld)
}

// Two machines of one name have different owners, as their ids differ. An owner does not give the id away.
func TestThisMachine(t *testing.T) {
	dir := t.TempDir()
	names := map[string]string{}
	for _, id := range []string{"", "8c2f0a4b8f0e4f5d9a3b\n", "8c2f0a4b8f0e4f5d9a3c\n"} {
		file := filepath.Join(dir, "id")
		if err := os.WriteFile(file, []byte(id), 0o600); err != nil {
			t.Fatal(err)
		}
		name := thisMachine(file)
		if other, there := names[name]; there || !strings.HasPrefix(name, hostname()) || strings.Contains(name, "8c2f") {
			t.Errorf("%q is %q, as %q", id, name, other)
		}
		names[name] = id
	}
	if name := thisMachine(filepath.Join(dir, "none")); name != hostname() {
		t.Errorf("without an id: %q", name)
	}
}
