package machine_test

import (
	"fmt"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestSequence: what a start takes is not free for the next one, and cannot become
// free before it either, unless the start is not sure. The nodes given are not
// changed.
func TestSequence(t *testing.T) {
	nodes := machine.IdleNodes(2, 8, 1)
	both, packed := []int{0, 1}, machine.Request{Tasks: 9}
	for _, tt := range []struct {
		sure   bool
		cores  string
		stable bool
	}{
		// 3 cores of the first node are taken, 5 are free: 5 and 4. Only if they can
		// become free again Slurm may find 8 there, and give 8 and 1.
		{true, "[5 4]", true},
		{false, "[5 4]", false},
	} {
		s := machine.NewSequence(nodes)
		s.Take(machine.Allocation{Nodes: []int{0}, Cores: []int{3}, GPUs: 1}, tt.sure)
		cores, err := s.Place(both, packed)
		if err != nil || fmt.Sprint(cores) != tt.cores || s.Stable(both, packed) != tt.stable {
			t.Errorf("sure %v: %v, %v, stable %v: want %s, %v", tt.sure, cores, err, s.Stable(both, packed), tt.cores, tt.stable)
		}
		if left := s.Left(); left[0].FreeCores != 5 || left[0].FreeGPUs != 0 || left[1].FreeCores != 8 {
			t.Errorf("left %+v", left)
		}
	}
	if !nodes[0].WhollyFree() {
		t.Errorf("the first node has changed: %+v", nodes[0])
	}
}
