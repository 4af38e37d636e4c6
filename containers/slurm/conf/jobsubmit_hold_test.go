package conf

import (
	"strings"
	"testing"
)

// machine is the one of the tests.
func fourNodes() submitMachine { return submitMachine{Nodes: 4, Cores: 8, GPUs: 2} }

// The two scripts must differ in the hold switch and in nothing else, so that
// a backfill run and an auction run see the same Slurm.
func TestScriptsDifferInOneLine(t *testing.T) {
	for _, external := range []bool{false, true} {
		differInHold(t, external)
	}
}

func differInHold(t *testing.T, external bool) {
	t.Helper()
	free := strings.Split(jobSubmit(submitOptions{External: external}, fourNodes()), "\n")
	held := strings.Split(jobSubmit(submitOptions{Hold: true, External: external}, fourNodes()), "\n")
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
