package kindstest_test

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/kinds/kindstest"
)

// Seconds may be greater by the pauses of a cluster, and nothing else may differ.
func TestSame(t *testing.T) {
	const want = "1\n1|COMPLETED|3600|0:0\n"
	for _, tt := range []struct {
		got    string
		paused time.Duration
		same   bool
	}{
		{want, 0, true},
		{"1\n1|COMPLETED|3601|0:0\n", 0, false},
		{"1\n1|COMPLETED|3602|0:0\n", 1500 * time.Millisecond, true},
		{"1\n1|COMPLETED|3603|0:0\n", 2 * time.Second, false},
		{"1\n1|COMPLETED|3599|0:0\n", 2 * time.Second, false},
		{"1\n1|TIMEOUT|3600|0:0\n", 2 * time.Second, false},
		{"1|COMPLETED|3600|0:0\n", 2 * time.Second, false},
	} {
		if got := kindstest.Same(tt.got, want, tt.paused); got != tt.same {
			t.Errorf("%q after %v of pauses: got %v", tt.got, tt.paused, got)
		}
	}
}
