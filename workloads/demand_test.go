package workloads

import (
	"testing"

	"pgregory.net/rapid"
)

// Every job fits on the machine that is proposed, and on none with a node, a core of a
// node or a GPU of a node less.
func TestDemand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Demand
		var jobs []Job
		for id := range rapid.IntRange(1, 8).Draw(t, "jobs") {
			j := Job{ID: id + 1, Runtime: 1, Limit: 60, Class: "a", Nodes: rapid.IntRange(0, 30).Draw(t, "nodes")}
			j.Cores = max(1, j.Nodes) * rapid.IntRange(1, 20).Draw(t, "cores")
			if rapid.Bool().Draw(t, "per node") && j.Nodes > 0 {
				j.CoresPerNode = j.Cores / j.Nodes
			} else {
				j.Cores += rapid.IntRange(0, 7).Draw(t, "odd")
			}
			j.GPUsMax = rapid.IntRange(0, 5).Draw(t, "gpus")
			j.GPUsMin = min(j.GPUsMax, 1)
			d.Add(j)
			jobs = append(jobs, j)
		}
		fits := func(m Machine) bool {
			for _, j := range jobs {
				if len(j.Validate(m)) > 0 {
					return false
				}
			}
			return true
		}
		m, ok := d.Machine(8)
		if !ok || !fits(m) || !d.Fits(m) {
			t.Fatalf("%+v: %+v, %v", jobs, m, ok)
		}
		for _, smaller := range []Machine{{Nodes: m.Nodes - 1, Cores: m.Cores, GPUs: m.GPUs}, {Nodes: m.Nodes, Cores: m.Cores, GPUs: m.GPUs - 1}} {
			if fits(smaller) || d.Fits(smaller) {
				t.Fatalf("%+v: %+v is too large, as they fit on %+v", jobs, m, smaller)
			}
		}
		if less := (Machine{Nodes: m.Nodes, Cores: m.Cores - 1, GPUs: m.GPUs}); d.cores > 0 && fits(less) != d.Fits(less) {
			t.Fatalf("%+v: fits on %+v is %v", jobs, less, fits(less))
		}
	})
}

// A node of more cores than a machine file allows.
func TestDemandBeyondAnyMachine(t *testing.T) {
	var d Demand
	d.Add(Job{ID: 1, Runtime: 1, Limit: 60, Class: "a", Nodes: 3, Cores: 4000})
	if m, ok := d.Machine(8); ok || m.Cores != 1334 {
		t.Errorf("%+v, %v", m, ok)
	}
	d = Demand{}
	d.Add(Job{ID: 1, Runtime: 1, Limit: 60, Class: "a", Cores: 2_000_000})
	if m, ok := d.Machine(8); !ok || m.Nodes != 10000 || m.Cores != 200 {
		t.Errorf("%+v, %v", m, ok)
	}
}
