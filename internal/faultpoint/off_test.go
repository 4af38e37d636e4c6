package faultpoint_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
)

// Points are "compiled to nothing outside test builds" (issue 16). The commands that people get have neither the
// names of the points nor the variables that arm them, and slurmlabd of the campaign has them.
func TestOrdinaryCommandsHaveNoPoints(t *testing.T) {
	names := []string{"SLURMLAB_FAULTPOINT", faultpoint.Boot, faultpoint.Submission, faultpoint.Release, faultpoint.End}
	for _, tt := range []struct {
		command, tags string
		want          bool
	}{{"slurmlab", "", false}, {"slurmlabd", "", false}, {"slurmlabd", "faults", true}} {
		program := filepath.Join(t.TempDir(), tt.command)
		build := exec.Command("go", "build", "-tags", tt.tags, "-ldflags", "-s -w", "-o", program, "../../cmd/"+tt.command)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", tt.command, err, out)
		}
		code, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if got := bytes.Contains(code, []byte(name)); got != tt.want {
				t.Errorf("%s with tags %q has %q: %v", tt.command, tt.tags, name, got)
			}
		}
	}
}
