package policy_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

func TestCheckEffect(t *testing.T) {
	const advice = "; leave it out, or choose a policy that has it: "
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, policies, want string }{
		{"solve_limit", "auction", ""},
		{"solve_limit", "backfill auction", ""},
		{"solve_limit", "backfill", "solve_limit: has no effect, as backfill has no agent" + advice + "auction, ipsched, ipsched-cores, ipsched-multifactor and 15 more (slurmlab policy list)"},
		{"solve_limit", "fifo backfill", "solve_limit: has no effect, as fifo has no agent and backfill has no agent" + advice},
		{"max_bids", "ipsched", "max_bids: has no effect, as ipsched decides by the program ipsched, which does not read it" + advice},
		{"max_bids", "auction1", ""},
		{"max_bypass", "auction1", "max_bypass: has no effect, as auction1 decides by the program aucsched, which does not read it" + advice + "auction, auction2"},
		{"bf_window", "auction fifo", "bf_window: has no effect, as auction has the scheduler sched/builtin and fifo has the scheduler sched/builtin" + advice + "backfill-default"},
		{"PriorityWeightAge", "auction", "PriorityWeightAge: has no effect, as the agent of auction computes priorities itself" + advice + "fifo, "},
		{"objective", "ipsched", ""},
		{"KillWait", "auction", ""},
		{"solve_limit", "", ""},
		{"solve-limit", "", "solve-limit: unknown setting"},
	} {
		var policies []policy.Policy
		for name := range strings.FieldsSeq(c.policies) {
			p, err := policy.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			policies = append(policies, p)
		}
		got := ""
		if err := policy.CheckEffect([]policy.Setting{{Key: c.key, Value: "1"}}, policies, all); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s under %s: got %q, want %q", c.key, c.policies, got, c.want)
		}
	}
}
