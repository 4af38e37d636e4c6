package trace_test

import (
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
