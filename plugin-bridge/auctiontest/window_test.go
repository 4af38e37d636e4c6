package auctiontest

import (
	"reflect"
	"testing"
)

// TestSnapshot: states are valid, as busy as asked for, and repeatable.
func TestSnapshot(t *testing.T) {
	for _, sizes := range []Sizes{Small, Medium, Large} {
		for _, utilisation := range []float64{0, 0.5, 0.9} {
			w := Window{Nodes: 300, Cores: 12, GPUs: 3, Jobs: 40, Sizes: sizes, Utilisation: utilisation, Seed: 4}
			s := w.Snapshot()
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
			used := 0
			for _, n := range s.Nodes {
				used += n.Cores - n.FreeCores
				if n.FreeGPUs < 0 || n.FreeGPUs > n.GPUs || utilisation == 0 && n.FreeGPUs < n.GPUs {
					t.Fatalf("node %+v", n)
				}
			}
			// The last job that left held at most a fifth of the machine.
			part := float64(used) / float64(300*12)
			if part > utilisation || part < utilisation-0.2 {
				t.Errorf("sizes %d: utilisation %.2f, asked for %.2f", sizes, part, utilisation)
			}
			if !reflect.DeepEqual(s, w.Snapshot()) {
				t.Error("the same window twice is not the same")
			}
		}
	}
}
