package lua_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/lua"
)

// machine is the one of the tests.
func machine() lua.Machine { return lua.Machine{Nodes: 4, Cores: 8, GPUs: 2} }

// The two scripts must differ in the hold switch and in nothing else, so that
// a backfill run and an auction run see the same Slurm.
func TestScriptsDifferInOneLine(t *testing.T) {
	for _, external := range []bool{false, true} {
		differInHold(t, external)
	}
}

func differInHold(t *testing.T, external bool) {
	t.Helper()
	free := strings.Split(lua.Script(lua.Options{External: external}, machine()), "\n")
	held := strings.Split(lua.Script(lua.Options{Hold: true, External: external}, machine()), "\n")
	if len(free) != len(held) {
		t.Fatalf("scripts have %d and %d lines", len(free), len(held))
	}
	var differ []string
	for i := range free {
		if free[i] != held[i] {
			differ = append(differ, held[i])
		}
	}
	if len(differ) != 1 || differ[0] != "local hold = true" {
		t.Fatalf("scripts differ in %q, want only the hold switch", differ)
	}
}
