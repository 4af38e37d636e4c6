package run

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// A program of the user's finds its modules where a cluster of Docker has them.
func TestAddProgram(t *testing.T) {
	c := &ownCluster{dir: t.TempDir()}
	for _, b := range c.binds() {
		if err := os.Mkdir(b.here, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "mine.py")
	if err := os.WriteFile(file, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := slurm.Program{File: file, Name: "exec.py", Modules: map[string][]byte{"slurmlab.py": []byte("module")}}
	bound, err := c.addProgram(p)
	if err != nil || !slices.Equal(bound, []bind{{file, p.Path()}}) {
		t.Errorf("bound are %v, %v", bound, err)
	}
	// What a file is bound to must be there.
	for path, want := range map[string]string{p.Path(): "", slurm.ModulePath("slurmlab.py"): "module"} {
		if text, readErr := os.ReadFile(c.here(path)); readErr != nil || string(text) != want {
			t.Errorf("the cluster has %q as %s, %v", text, path, readErr)
		}
	}
	p.File = filepath.Join(t.TempDir(), "a:b.py")
	if bound, err = c.addProgram(p); err == nil {
		t.Errorf("ch-run would read %v as others", bound)
	}
}
