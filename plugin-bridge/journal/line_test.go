package journal

import (
	"io"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// "20,000 jobs through one cluster at bounded memory" (issue 16, line 7): the writer
// remembers the jobs of the last line, however many there were before.
func TestWriterRemembersTheLastLine(t *testing.T) {
	w := NewWriter(io.Discard)
	for i := range 50 {
		held := machine.Holding{Job: i}
		c := Cycle{Cycle: i + 1, Running: []machine.Holding{held}}
		c.Snapshot = auction.Snapshot{Jobs: []bidding.Job{{ID: i}, {ID: i + 1}}, Running: []machine.Holding{held}}
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	m := w.memory
	if len(m.jobs) != 2 || len(m.running) != 1 || len(m.lastHeld) != 1 || len(m.occupied) != 0 {
		t.Errorf("%d jobs, %d running, %d and %d holdings are remembered, want 2, 1, 1 and 0",
			len(m.jobs), len(m.running), len(m.lastHeld), len(m.occupied))
	}
}
