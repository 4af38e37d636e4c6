package campaign_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// A file or a flag that asks for more runs than a campaign may have is refused by its product, before the policies are
// made: eight million take no more memory than two.
func TestTooManyAreCountedNotMade(t *testing.T) {
	values := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(10+i))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	entry := func(name string, a, b int) string {
		return fmt.Sprintf("  - {policy: auction, name: %s, settings: {window: %s, max_bids: %s}}\n", name, values(a), values(b))
	}
	for _, tc := range []struct{ name, text, want string }{
		{"one entry", "policies:\n" + entry("a", 4000, 2000), "x.yaml:4: policies[0].settings: got 8000000 combinations of values beside 0 policies, each for 1 runs, want at most 100000 runs"},
		{"several entries", "seeds: 1..1000\npolicies:\n" + entry("a", 8, 10) + entry("b", 4, 10), "x.yaml:6: policies[1].settings: got 40 combinations of values beside 80 policies, each for 1000 runs, want at most 100000 runs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			read := func() (err error) {
				_, err = campaign.Read("x.yaml", []byte("machines: S\nworkloads: V.1\n"+tc.text), real())
				return err
			}
			if err := read(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			if got, words := testing.AllocsPerRun(1, func() { _ = read() }), 6000.0; got > 100*words {
				t.Errorf("got %g allocations, want at most 100 for each of %g words", got, words)
			}
		})
	}
	many := strings.Trim(strings.ReplaceAll(values(4000), " ", ""), "[]")
	var variations []campaign.Variation
	for _, key := range []string{"window", "max_bids"} {
		v, err := campaign.ReadVariation(key + "=" + many)
		if err != nil {
			t.Fatal(err)
		}
		variations = append(variations, v)
	}
	const want = "window, max_bids: got 16000000 combinations of values, want at most 100000 policies"
	if _, _, err := campaign.Vary(policy.Policy{}, variations...); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
