//go:build highs && cgo

package highs_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
)

// workerVariable makes this test program a worker.
const workerVariable = "SLURMLAB_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) == "" {
		os.Exit(m.Run())
	}
	engine, err := highs.New()
	if err == nil {
		err = solver.Serve(os.Stdin, os.Stdout, engine)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newSolver(t testing.TB, o solver.Options) *solver.Solver {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(workerVariable, "1")
	o.Start = solver.Command(self)
	s, err := solver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
