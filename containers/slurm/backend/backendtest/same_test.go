package backendtest_test

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
)

// Seconds may be greater by what late allows, and nothing else may differ.
func TestSame(t *testing.T) {
	const want = "1\n1|COMPLETED|3600|0:0\nn6 idle 30\n"
	for _, tt := range []struct {
		got  string
		late time.Duration
		same bool
	}{
		{want, 0, true},
		{"1\n1|COMPLETED|3601|0:0\nn6 idle 30\n", 0, false},
		{"1\n1|COMPLETED|3602|0:0\nn6 idle 30\n", 1500 * time.Millisecond, true},
		{"1\n1|COMPLETED|3603|0:0\nn6 idle 30\n", 2 * time.Second, false},
		{"1\n1|COMPLETED|3599|0:0\nn6 idle 30\n", 2 * time.Second, false},
		{"1\n1|TIMEOUT|3600|0:0\nn6 idle 30\n", 2 * time.Second, false},
		{"1|COMPLETED|3600|0:0\nn6 idle 30\n", 2 * time.Second, false},
		// A count, an id, a weight.
		{"2\n1|COMPLETED|3600|0:0\nn6 idle 30\n", 2 * time.Second, false},
		{"1\n2|COMPLETED|3600|0:0\nn6 idle 30\n", 2 * time.Second, false},
		{"1\n1|COMPLETED|3600|0:0\nn6 idle 31\n", 2 * time.Second, false},
		{"1\n1|COMPLETED|3600|1:0\nn6 idle 30\n", 2 * time.Second, false},
	} {
		if got := backendtest.Same(tt.got, want, tt.late); got != tt.same {
			t.Errorf("%q, up to %v late: got %v", tt.got, tt.late, got)
		}
	}
}
