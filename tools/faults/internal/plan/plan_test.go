package plan_test

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/tools/faults/internal/plan"
)

// together are all pairs of values of cells, found by another way than Cover's.
func together(cells []plan.Cell) map[[4]string]bool {
	found := map[[4]string]bool{}
	for _, c := range cells {
		columns := map[string]string{"action": string(c.Action), "victim": string(c.Victim), "point": c.Point, "policy": c.Policy, "slurm": c.Slurm}
		for a, x := range columns {
			for b, y := range columns {
				if a < b {
					found[[4]string{a, x, b, y}] = true
				}
			}
		}
	}
	return found
}

// "Pairwise coverage, seeded" (issue 16): every pair that can be produced is in a cell
// that is played, whatever the seed.
func TestCoverHasEachPair(t *testing.T) {
	cells := plan.Cells()
	want := together(cells)
	for seed := range uint64(3) {
		chosen := plan.Cover(cells, seed)
		got := together(chosen)
		for p := range want {
			if !got[p] {
				t.Errorf("seed %d: no cell has %v", seed, p)
			}
		}
		t.Logf("seed %d: %d of %d cells, %d pairs", seed, len(chosen), len(cells), len(want))
		if !slices.Equal(chosen, plan.Cover(cells, seed)) {
			t.Errorf("seed %d chooses other cells the second time", seed)
		}
	}
}

// Every value of the table is in a cell that is played, or it is said why not.
func TestEachValueIsPlayedOrExcused(t *testing.T) {
	played := together(plan.Cover(plan.Cells(), 1))
	for _, v := range plan.Victims() {
		for _, at := range plan.Points() {
			if played[[4]string{"point", at, "victim", string(v)}] {
				continue
			}
			for _, a := range plan.Actions() {
				for _, p := range plan.Policies() {
					for _, k := range plan.Kinds() {
						if c := (plan.Cell{Action: a, Victim: v, Point: at, Policy: p, Slurm: k}); plan.Impossible(c) == "" {
							t.Errorf("%s is possible, and %s at %s is never played", c.Name(), v, at)
						}
					}
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	c := plan.Cells()[0]
	for _, name := range []string{c.Name(), c.FileName()} {
		if got, err := plan.Find(name); err != nil || got != c {
			t.Errorf("Find(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"KILL", "KILL slurmd end/first auction 26.05"} {
		if got, err := plan.Find(name); err == nil {
			t.Errorf("Find(%q) = %v, want an error", name, got)
		}
	}
}

// "A misbehaving plug-in (hangs, garbage, dies, starts unknown jobs, oversells)" (issue 21):
// each kind is a cell, which is found by its name and is none of the pairs' table.
func TestPluginCells(t *testing.T) {
	kinds := map[plan.Action]bool{}
	for _, c := range plan.PluginCells() {
		kinds[c.Action] = true
		if found, err := plan.Find(c.Name()); err != nil || found != c {
			t.Errorf("%s: found %v, %v", c.Name(), found, err)
		}
		if slices.Contains(plan.Cells(), c) {
			t.Errorf("%s is in the table of pairs, too", c.Name())
		}
	}
	for _, a := range plan.Misbehaviours() {
		if !kinds[a] {
			t.Errorf("no cell has %s", a)
		}
	}
}
