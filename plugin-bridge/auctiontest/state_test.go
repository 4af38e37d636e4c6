package auctiontest

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// TestStates: the recorded states are windows of 200 jobs on 1408 nodes, idle, half-idle and at about 90 %, as the
// issue asks, and have programs.
func TestStates(t *testing.T) {
	states, err := States()
	if err != nil {
		t.Fatal(err)
	}
	idle, half, busy := 0, 0, 0
	for _, s := range states {
		if n := len(s.Snapshot().Nodes); n != 1408 || len(s.Jobs) != 200 {
			t.Errorf("%s cycle %d: %d nodes, %d jobs", s.Run, s.Cycle, n, len(s.Jobs))
		}
		switch b := s.Busy(); {
		case b <= 0.05:
			idle++
		case b >= 0.3 && b <= 0.7:
			half++
		case b >= 0.85 && b <= 0.95:
			busy++
		default:
			t.Errorf("%s cycle %d: %.2f busy", s.Run, s.Cycle, b)
		}
		p, err := s.Problem(5, auction.ObjectivePriority)
		if err != nil || len(p.Objective) == 0 {
			t.Errorf("%s cycle %d: %d columns, %v", s.Run, s.Cycle, len(p.Objective), err)
		}
	}
	if idle == 0 || half == 0 || busy < 20 {
		t.Errorf("%d idle, %d half-idle, %d busy states, want some, some and 20", idle, half, busy)
	}
}

// TestWriteStates: what is written is read, and bad input is refused.
func TestWriteStates(t *testing.T) {
	states := []State{{
		Run: "r", Cycle: 7, Cores: 8, GPUs: 2, Free: [][3]int{{2, 8, 2}, {2, 0, 1}},
		Jobs: []Request{{ID: 3, Cores: 8, Limit: 60}, {ID: 4, Cores: 4, Nodes: 2, CoresPerNode: 2, GPUs: 1, MaxGPUs: 2, Contiguous: true, Limit: 1}},
	}}
	var file bytes.Buffer
	if err := WriteStates(&file, states); err != nil {
		t.Fatal(err)
	}
	read, err := ReadStates(bytes.NewReader(file.Bytes()))
	if err != nil || !reflect.DeepEqual(read, states) {
		t.Errorf("%+v, %v", read, err)
	}
	if busy := read[0].Busy(); busy != 0.5 {
		t.Errorf("busy %v", busy)
	}
	if _, err := ReadStates(strings.NewReader("{}")); err == nil {
		t.Error("plain text is read")
	}
	states[0].Free[0][1] = 9
	file.Reset()
	if err := WriteStates(&file, states); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadStates(&file); err == nil || !strings.Contains(err.Error(), "state 1") {
		t.Errorf("9 free of 8 cores: %v", err)
	}
}
