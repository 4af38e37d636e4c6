//go:build integration

package run_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/results/trace"
)

// standstill begins the warning of a clock that has not jumped for 20 s.
const standstill = "the clock has not jumped for "

// ownStandstills hands on what a run warns of, but for standstills of its clock. They are right on a machine whose core others
// keep busy: at the end of the test the record of its runs must say that they did.
func ownStandstills(t *testing.T, warn func(text string)) func(text string) {
	t.Helper()
	runs := filepath.Join(filepath.Dir(t.TempDir()), "*", "*")
	var once sync.Once
	return backendtest.Warnings(t, func(text string) {
		if !strings.HasPrefix(text, standstill) {
			warn(text)
			return
		}
		t.Log(text)
		once.Do(func() { t.Cleanup(func() { blamesOthers(t, runs) }) })
	})
}

// blamesOthers fails a test with a run whose clock stood still by itself.
func blamesOthers(t *testing.T, runs string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(runs, "run.json"))
	if err != nil || len(dirs) == 0 {
		t.Errorf("no run says why its clock stood still: %v", err)
	}
	for _, file := range dirs {
		run, err := mustOpen(t, filepath.Dir(file)).ReadRun()
		if err != nil {
			t.Error(err)
		} else if f := run.Fidelity; f != nil && f.Jump != nil && !byOthers(*f, f.Jump.Standstills) {
			t.Errorf("%s: the clock stood still %d times, and others used its core for %g s only", file, f.Jump.Standstills, f.ForeignSeconds+f.StolenSeconds)
		}
	}
}

// byOthers says whether others used the core for so long that they can have caused so many standstills. In one of 20 s the
// cluster computes for less than half of the time, or the run does not warn.
func byOthers(f trace.Fidelity, standstills int) bool {
	return f.ForeignSeconds+f.StolenSeconds >= 10*float64(standstills)
}
