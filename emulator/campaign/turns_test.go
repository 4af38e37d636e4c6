package campaign

import (
	"fmt"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// Each policy has each core equally often, a replica is whole before the next begins, and every run is made once, whatever
// cores are free in turn.
func TestTurnsShareCores(t *testing.T) {
	const seeds = 6
	names := []string{"a", "b"}
	var configs []run.Config
	for seed := range seeds {
		for _, name := range names {
			configs = append(configs, run.Config{Spec: drive.Spec{Seed: uint64(seed), Policy: policy.Policy{Name: name}, Machine: workloads.Machine{Name: "S", Nodes: 1, Cores: 1}}})
		}
	}
	turns, made, on := newTurns(configs), map[int]bool{}, map[string]int{}
	cores := []int{3, 5}
	for turn := 0; !turns.none(); turn++ {
		core := cores[turn%2]
		i := turns.next(slot{core: &core})
		if made[i] {
			t.Fatalf("run %d is made twice", i)
		}
		made[i] = true
		if c := configs[i]; int(c.Seed) != turn/len(names) {
			t.Errorf("turn %d is a run of seed %d: a replica is not whole", turn, c.Seed)
		}
		on[fmt.Sprint(configs[i].Policy.Name, core)]++
	}
	if len(made) != len(configs) {
		t.Errorf("%d of %d runs were made", len(made), len(configs))
	}
	for _, name := range names {
		for _, core := range cores {
			if n := on[fmt.Sprint(name, core)]; n != seeds/2 {
				t.Errorf("policy %s had core %d %d times, want %d: %v", name, core, n, seeds/2, on)
			}
		}
	}
}

// Clusters without a core of their own also take turns.
func TestTurnsWithoutCores(t *testing.T) {
	turns := newTurns(make([]run.Config, 3))
	for want := range 3 {
		if got := turns.next(slot{}); got != want {
			t.Errorf("got run %d, want %d", got, want)
		}
	}
}
