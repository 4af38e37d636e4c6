package backfill

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestSuffice: counting nodes says what choosing them says.
func TestSuffice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := make([]machine.Node, rapid.IntRange(1, 70).Draw(t, "nodes"))
		open := allNodes(len(nodes))
		for i := range nodes {
			nodes[i] = machine.Node{Cores: 4, GPUs: 2, FreeCores: rapid.IntRange(0, 4).Draw(t, "cores"), FreeGPUs: rapid.IntRange(0, 2).Draw(t, "GPUs")}
			if rapid.Bool().Draw(t, "closed") {
				open[i/64] &^= 1 << (i % 64)
			}
		}
		j := bidding.Job{Cores: rapid.IntRange(1, 60).Draw(t, "n"), GPUs: rapid.IntRange(0, 2).Draw(t, "job's GPUs")}
		switch rapid.IntRange(1, 3).Draw(t, "type") {
		case 2:
			j.Nodes = rapid.IntRange(1, 20).Draw(t, "N")
		case 3:
			j.Nodes, j.CoresPerNode = rapid.IntRange(1, 20).Draw(t, "N"), rapid.IntRange(1, 4).Draw(t, "t")
			j.Cores = j.Nodes * j.CoresPerNode
		}
		j.Contiguous = rapid.Bool().Draw(t, "contiguous")
		w := wanted(j)
		if got, want := w.suffice(nodes, open), w.choose(nodes, open) != nil; got != want {
			t.Fatalf("%+v: suffice %v, choose finds nodes %v", j, got, want)
		}
	})
}
