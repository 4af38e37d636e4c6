package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// The list of parameters has those that a user can set, and
// tells their values in any policy.
func TestParameterList(t *testing.T) {
	list := policy.ParameterList()
	find := func(key string) policy.Parameter {
		at := slices.IndexFunc(list, func(p policy.Parameter) bool { return p.Key == key })
		if at < 0 {
			t.Fatalf("no parameter %q in %+v", key, list)
		}
		return list[at]
	}
	if p := find("interval"); p.Default != "5s" || p.Allowed != "1s to 1h" || p.ReadBy != nil {
		t.Errorf("%+v", p)
	}
	if p := find("fair_share"); p.Default != "none" {
		t.Errorf("%+v", p)
	}
	find("remainder_bids")
	find("dump_models")
	if slices.ContainsFunc(list, func(p policy.Parameter) bool {
		return p.Key == "program" || p.Key == "program_sum" || p.Key == "program_on_host"
	}) {
		t.Error("the name of a program is no parameter that a user sets")
	}
	values := policy.DefaultParameters()
	values.Window = 7
	if got := find("window").Of(values); got != "7" {
		t.Errorf("window: %s", got)
	}
}

// The keys of a policy are those that it has, with the words that its method allows.
func TestPolicyKeys(t *testing.T) {
	for name, want := range map[string]string{
		"backfill": "",
		"ipsched":  "method interval cycles solve_limit window objective=priority,priority-cores priorities=literal,ranks,size shrink=nothing,window start_late=true,false fair_share dump_models=true,false",
	} {
		p, err := policy.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range p.Keys() {
			word := k.Key
			if k.Words != nil && !slices.Contains([]string{"method", "cycles"}, k.Key) {
				word += "=" + strings.Join(k.Words, ",")
			}
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
