package boot

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// Users' programs have the rights that are left, and everybody else those from before: of rights of the group and of
// others the kernel takes the group's alone (path_resolution(7)).
func TestWithhold(t *testing.T) {
	hosttest.Root(t, "gives files to a group that it is not in")
	dir, err := os.MkdirTemp("/tmp", "withhold")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err = os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "page")
	if err = errors.Join(os.WriteFile(file, []byte("time"), 0o600), os.Chmod(file, 0o666)); err != nil {
		t.Fatal(err)
	}
	test := func(id uint32, right string) bool {
		cmd := exec.Command("test", right, file)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
		return cmd.Run() == nil
	}
	for _, tt := range []struct {
		left        fs.FileMode
		read, write bool
	}{{6, true, true}, {4, true, false}, {0, false, false}} {
		if err = withhold(file, tt.left); err != nil {
			t.Fatal(err)
		}
		if read, write := test(conf.ProgramUser, "-r"), test(conf.ProgramUser, "-w"); read != tt.read || write != tt.write {
			t.Errorf("left %o: programs read %v and write %v, want %v and %v", tt.left, read, write, tt.read, tt.write)
		}
		if !test(firstUser, "-r") || !test(firstUser, "-w") {
			t.Errorf("left %o: a job's user cannot read and write", tt.left)
		}
	}
	if err = withhold(filepath.Join(dir, "missing"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, want %v", err, fs.ErrNotExist)
	}
}
