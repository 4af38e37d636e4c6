package image_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the build's scripts with other programs in place of Docker and apt:
// what is in bin is found first.
func TestScripts(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SCRIPTS", here)
			env.Setenv("PATH", filepath.Join(env.WorkDir, "bin")+":"+env.Getenv("PATH"))
			env.Setenv("IMAGE", "slurmlab:none")
			env.Setenv("TOOLBOX", "slurmlab-toolbox:none")
			return nil
		},
	})
}
