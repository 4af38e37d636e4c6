package journal

import (
	"io"
	"reflect"
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
		c := Entry{Cycle: i + 1, Running: []machine.Holding{held}}
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

// Whatever of a node changes, but what is free of it, is written again.
func TestSameComparesEveryField(t *testing.T) {
	var node machine.Node
	for i := range reflect.TypeOf(node).NumField() {
		other := node
		switch field := reflect.ValueOf(&other).Elem().Field(i); field.Kind() {
		case reflect.Int:
			field.SetInt(1)
		case reflect.String:
			field.SetString("1")
		default:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		}
		name := reflect.TypeOf(node).Field(i).Name
		if differs := !reflect.DeepEqual(bare(other), node); same(bare(other), node) == differs {
			t.Errorf("nodes that differ in %s: the same %v", name, !differs)
		}
	}
}
