package drive_test

import (
	"testing"

	bridge "github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/results/trace"
)

// What the agent writes of a program that was not asked is what metrics know it by.
func TestWaitedIsRecordedAsItIsRead(t *testing.T) {
	if bridge.StatusWaited != trace.SolverWaited {
		t.Errorf("package plugin says %q, package trace %q", bridge.StatusWaited, trace.SolverWaited)
	}
}
