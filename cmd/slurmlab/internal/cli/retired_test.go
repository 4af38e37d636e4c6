package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// TestRetired: what a fault proposes in the place of an earlier name exists, and the earlier name does not.
func TestRetired(t *testing.T) {
	taken := map[string]int{}
	walk(func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
		for _, r := range retiredFlags() {
			if r.of != nil && !slices.Contains(r.of, path) {
				continue
			}
			if c.Flags().Lookup(r.was) != nil {
				t.Errorf("%s has --%s, which is retired", c.CommandPath(), r.was)
			}
			if takes(c, r.now) {
				taken[r.was]++
			}
		}
	})
	for _, r := range retiredFlags() {
		if taken[r.was] == 0 {
			t.Errorf("--%s: no command takes %s", r.was, r.now)
		}
		setting, is := strings.CutPrefix(r.now, "--set ")
		key, _, _ := strings.Cut(setting, "=")
		if is && !slices.Contains(policy.SettingKeys(), key) {
			t.Errorf("--%s: no policy has the key %s", r.was, key)
		}
	}
	for _, r := range retiredCommands() {
		words := strings.Fields(r.now)
		c, rest, err := Commands().Find(words)
		if err != nil || len(rest) > 0 && !strings.HasPrefix(rest[0], "--") || !c.Runnable() {
			t.Errorf("%s: %s is no command: %v", r.was, r.now, err)
		}
		if old, rest, err := Commands().Find(strings.Fields(r.was)); err == nil && len(rest) == 0 && old.CommandPath() == "slurmlab "+r.was {
			t.Errorf("%s is there, and retired", r.was)
		}
	}
}
