package auction

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// "Stop when what can still be gained is worth less than the delay" (issue 17): a second of the
// jobs' mean time limit, and never under the papers' objective.
func TestEnough(t *testing.T) {
	for _, tt := range []struct {
		objective Objective
		limits    []time.Duration
		want      float64
	}{
		{ObjectiveAdaptive, []time.Duration{time.Hour, time.Hour}, 1.0 / 3600},
		{ObjectiveValue, []time.Duration{50 * time.Minute, 150 * time.Minute, 0}, 1.0 / 6000},
		{ObjectiveValue, []time.Duration{10 * time.Second}, enoughLimit},
		{ObjectiveValue, []time.Duration{0}, 0},
		{ObjectiveValue, nil, 0},
		{ObjectivePriority, []time.Duration{time.Hour}, 0},
		{"", []time.Duration{time.Hour}, 0},
	} {
		var s Snapshot
		for _, l := range tt.limits {
			s.Jobs = append(s.Jobs, bidding.Job{TimeLimit: l})
		}
		if got := tt.objective.enough(s); got != tt.want {
			t.Errorf("%q, limits %v: got %g, want %g", tt.objective, tt.limits, got, tt.want)
		}
	}
}
