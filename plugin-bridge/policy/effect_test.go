package policy_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

func TestEffect(t *testing.T) {
	const advice = "; leave it out, or choose another policy (slurmlab policy list)"
	for _, c := range []struct {
		flag     string
		policies []string
		want     string
	}{
		{"solve-limit", []string{"auction"}, ""},
		{"solve-limit", []string{"backfill", "auction"}, ""},
		{"solve-limit", []string{"backfill"}, "solve-limit: has no effect, as backfill has no agent" + advice},
		{"solve-limit", []string{"fifo", "backfill"}, "solve-limit: has no effect, as fifo has no agent and backfill has no agent" + advice},
		{"max-bids", []string{"ipsched"}, "max-bids: has no effect, as ipsched decides by the program ipsched, which does not read it" + advice},
		{"max-bids", []string{"auction1"}, ""},
		{"max-bypass", []string{"auction1"}, "max-bypass: has no effect, as auction1 decides by the program aucsched, which does not read it" + advice},
		{"objective", []string{"ipsched"}, ""},
		{"machine", []string{"backfill"}, ""},
		{"solve-limit", nil, ""},
	} {
		var policies []policy.Policy
		for _, name := range c.policies {
			p, err := policy.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			policies = append(policies, p)
		}
		got := ""
		if err := policy.Effect(c.flag, policies...); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s under %v: got %q, want %q", c.flag, c.policies, got, c.want)
		}
	}
}
