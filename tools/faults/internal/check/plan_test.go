package check_test

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

// together are all pairs of values of cells, found by another way than Cover's.
func together(cells []check.Cell) map[[4]string]bool {
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
	cells := check.Cells()
	want := together(cells)
	for seed := range uint64(3) {
		chosen := check.Cover(cells, seed)
		got := together(chosen)
		for p := range want {
			if !got[p] {
				t.Errorf("seed %d: no cell has %v", seed, p)
			}
		}
		t.Logf("seed %d: %d of %d cells, %d pairs", seed, len(chosen), len(cells), len(want))
		if !slices.Equal(chosen, check.Cover(cells, seed)) {
			t.Errorf("seed %d chooses other cells the second time", seed)
		}
	}
}

// Every value of the table is in a cell that is played, or it is said why not.
func TestEachValueIsPlayedOrExcused(t *testing.T) {
	played := together(check.Cover(check.Cells(), 1))
	for _, v := range check.Victims() {
		for _, at := range check.Points() {
			if played[[4]string{"point", at, "victim", string(v)}] {
				continue
			}
			for _, a := range check.Actions() {
				for _, p := range check.Policies() {
					for _, k := range check.Backends() {
						if c := (check.Cell{Action: a, Victim: v, Point: at, Policy: p, Slurm: k}); check.Impossible(c) == "" {
							t.Errorf("%s is possible, and %s at %s is never played", c.Name(), v, at)
						}
					}
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	c := check.Cells()[0]
	for _, name := range []string{c.Name(), c.FileName()} {
		if got, err := check.Find(name); err != nil || got != c {
			t.Errorf("Find(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"KILL", "KILL slurmd end/first auction 26.05"} {
		if got, err := check.Find(name); err == nil {
			t.Errorf("Find(%q) = %v, want an error", name, got)
		}
	}
}

// "A misbehaving plug-in (hangs, garbage, dies, starts unknown jobs, oversells)" (issue 21):
// each kind is a cell, which is found by its name and is none of the pairs' table.
func TestPluginCells(t *testing.T) {
	kinds := map[check.Action]bool{}
	for _, c := range check.PluginCells() {
		kinds[c.Action] = true
		if found, err := check.Find(c.Name()); err != nil || found != c {
			t.Errorf("%s: found %v, %v", c.Name(), found, err)
		}
		if slices.Contains(check.Cells(), c) {
			t.Errorf("%s is in the table of pairs, too", c.Name())
		}
	}
	for _, a := range check.Misbehaviours() {
		if !kinds[a] {
			t.Errorf("no cell has %s", a)
		}
	}
}
