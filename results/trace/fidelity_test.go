package trace_test

import (
	"math"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
)

// A run is quiet if others took at most 2 % of its real time, or no more than the second to which
// Slurm counts (docs/design/023-campaigns.md).
func TestQuiet(t *testing.T) {
	for _, test := range []struct {
		real, foreign, stolen float64
		want                  bool
	}{
		{0, 0, 0, true},
		{2, 1, 0, true},
		{2, 0.6, 0.4, true},
		{2, 0.7, 0.4, false},
		{49, 1.1, 0, false},
		{100, 1.5, 0.5, true},
		{100, 1.5, 0.6, false},
	} {
		run := trace.Run{}
		if test.real > 0 {
			run.Fidelity = &trace.Fidelity{RealSeconds: test.real, ForeignSeconds: test.foreign, StolenSeconds: test.stolen}
		}
		if got := run.Quiet(); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
}

// Without a core of its own nobody knows what others took of a run's time, and the hypervisor's part alone is no answer.
func TestDisturbedWithoutACore(t *testing.T) {
	core := 1
	run := trace.Run{Core: &core, Fidelity: &trace.Fidelity{RealSeconds: 100, ForeignSeconds: 3, StolenSeconds: 1}}
	if got := run.Disturbed(); got != 0.04 {
		t.Errorf("with a core: %g, want 0.04", got)
	}
	run.Core, run.Fidelity.ForeignSeconds = nil, 0
	if got := run.Disturbed(); !math.IsNaN(got) {
		t.Errorf("without a core: %g, want NaN", got)
	}
}
