package policy_test

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// The list of parameters has those that a user can set, with what each place calls them, and
// tells their values in any policy.
func TestParameterList(t *testing.T) {
	list := policy.ParameterList()
	find := func(key, flag string) policy.Parameter {
		at := slices.IndexFunc(list, func(p policy.Parameter) bool { return p.Key == key && p.Flag == flag })
		if at < 0 {
			t.Fatalf("no parameter %q with flag %q in %+v", key, flag, list)
		}
		return list[at]
	}
	if p := find("solve_limit", "solve-limit"); p.Default != "5s" || p.Allowed != "1s to 1h" || p.ReadBy != nil {
		t.Errorf("%+v", p)
	}
	if p := find("fair_share", "fair-share"); p.Default != "none" {
		t.Errorf("%+v", p)
	}
	find("remainder_bids", "")
	find("", "dump-models")
	if slices.ContainsFunc(list, func(p policy.Parameter) bool { return p.Key == "program" || p.Key == "program_sum" }) {
		t.Error("the name of a program is no parameter that a user sets")
	}
	values := policy.DefaultParameters()
	values.Window = 7
	if got := find("window", "window").Of(values); got != "7" {
		t.Errorf("window: %s", got)
	}
}
