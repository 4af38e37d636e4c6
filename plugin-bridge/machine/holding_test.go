package machine_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestTakeAndGive: what fits can be taken and given back, and nothing else has
// changed then; in between every node has that much less.
func TestTakeAndGive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := machine.IdleNodes(4, 8, 2)
		for i := range nodes {
			nodes[i].FreeCores, nodes[i].FreeGPUs = rapid.IntRange(0, 8).Draw(t, "cores"), rapid.IntRange(0, 2).Draw(t, "gpus")
			nodes[i].Memory, nodes[i].FreeMemory = 64, rapid.IntRange(0, 64).Draw(t, "memory")
		}
		a := machine.Allocation{GPUs: rapid.IntRange(0, 2).Draw(t, "takes GPUs")}
		if rapid.Bool().Draw(t, "per node") {
			a.MemoryPerNode = rapid.IntRange(0, 32).Draw(t, "takes memory")
		} else {
			a.MemoryPerCore = rapid.IntRange(0, 8).Draw(t, "takes memory")
		}
		fits := true
		for i, n := range nodes {
			if rapid.Bool().Draw(t, "use") {
				c := rapid.IntRange(1, 8).Draw(t, "takes cores")
				a.Nodes, a.Cores = append(a.Nodes, i), append(a.Cores, c)
				fits = fits && c <= n.FreeCores && a.GPUs <= n.FreeGPUs && a.MemoryPerNode+c*a.MemoryPerCore <= n.FreeMemory
			}
		}
		if got := machine.Fits(nodes, a); got != fits {
			t.Fatalf("%+v fits %+v: %v", a, nodes, got)
		}
		left := slices.Clone(nodes)
		machine.Take(left, a)
		for i, n := range left {
			if err := n.Validate(); err != nil {
				t.Fatal(err)
			}
			at := slices.Index(a.Nodes, i)
			if at < 0 && n.FreeCores != nodes[i].FreeCores || fits && at >= 0 && n.FreeCores != nodes[i].FreeCores-a.Cores[at] {
				t.Fatalf("node %d of %+v has %d cores left of %d", i, a, n.FreeCores, nodes[i].FreeCores)
			}
		}
		machine.Give(left, a)
		for i, n := range left {
			if err := n.Validate(); err != nil {
				t.Fatal(err)
			}
			was := nodes[i]
			if fits && (n.FreeCores != was.FreeCores || n.FreeGPUs != was.FreeGPUs || n.FreeMemory != was.FreeMemory) {
				t.Fatalf("node %d is %+v, was %+v", i, n, was)
			}
		}
	})
}

// TestLicences: entries of one name count together, nothing falls below 0, and
// what is not listed cannot be had.
func TestLicences(t *testing.T) {
	free := machine.Licences{{Name: "matlab", Count: 5}, {Name: "fluent", Count: 1}, {Name: "matlab", Count: -2}}
	for _, c := range []struct {
		wanted machine.Licences
		covers bool
	}{
		{nil, true},
		{machine.Licences{{Name: "matlab", Count: 3}, {Name: "fluent", Count: 1}}, true},
		{machine.Licences{{Name: "matlab", Count: 4}}, false},
		{machine.Licences{{Name: "matlab", Count: 2}, {Name: "matlab", Count: 2}}, false},
		{machine.Licences{{Name: "abaqus", Count: 1}}, false},
	} {
		if got := free.Cover(c.wanted); got != c.covers {
			t.Errorf("%v cover %v: %v", free, c.wanted, got)
		}
	}
	free.Take(machine.Licences{{Name: "matlab", Count: 2}, {Name: "fluent", Count: 4}, {Name: "abaqus", Count: 1}})
	for name, want := range map[string]int{"matlab": 1, "fluent": 0, "abaqus": 0} {
		if got := free.Count(name); got != want {
			t.Errorf("%d of %s left, want %d", got, name, want)
		}
	}
}
