package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// settings are the values of --set.
type settings []policy.Setting

// flag adds --set to a command that names policies.
func (s *settings) flag(cmd *cobra.Command) {
	declare(cmd, headPolicy, flagOf("set", s, `setting of each policy that has the KEY: a parameter of the agent ("slurmlab policy describe auction"), priority, a word of SchedulerParameters or a line of slurm.conf; may be given again`).completes(ofSettings).usual())
}

// String implements pflag.Value.
func (s *settings) String() string {
	var words []string
	for _, one := range *s {
		words = append(words, one.Key+"="+one.Value)
	}
	return strings.Join(words, " ")
}

// Type implements pflag.Value.
func (*settings) Type() string { return "KEY=VALUE" }

// Set implements pflag.Value.
func (s *settings) Set(text string) error {
	one, err := policy.ReadSetting(text)
	if err != nil {
		return err
	}
	*s = append(*s, one)
	return nil
}

// suffix is the settings as part of a policy's name: "+window=50".
func (s settings) suffix() string {
	text := ""
	for _, one := range s {
		text += "+" + one.Key + "=" + one.Value
	}
	return text
}

// variations are the values of --vary.
type variations []campaign.Variation

// flag adds --vary to a command that compares.
func (v *variations) flag(cmd *cobra.Command) {
	declare(cmd, headPolicy, flagOf("vary", v, `compare a policy (backfill, or the one of --policies) with itself: under several values of a KEY of --set, or as it is and with one; may be given again`).completes(ofSettings).usual())
}

// String implements pflag.Value.
func (v *variations) String() string {
	var words []string
	for _, one := range *v {
		words = append(words, one.Key+"="+strings.Join(one.Values, ","))
	}
	return strings.Join(words, " ")
}

// Type implements pflag.Value.
func (*variations) Type() string { return "KEY=V1,V2" }

// Set implements pflag.Value.
func (v *variations) Set(text string) error {
	one, err := campaign.ReadVariation(text)
	if err != nil {
		return err
	}
	*v = append(*v, one)
	return nil
}

// ofSettings completes KEY=VALUE of the policies that the command line names: all keys, and the
// values of those that take one of a few words.
func ofSettings(cmd *cobra.Command, _ []string, begun string) []cobra.Completion {
	key, _, valued := strings.Cut(begun, "=")
	if !valued {
		var list []cobra.Completion
		for _, key := range policy.SettingKeys() {
			list = append(list, key+"=")
		}
		return list
	}
	var list []cobra.Completion
	if key == policy.PrioritySetting {
		for _, t := range priority.Types() {
			list = append(list, cobra.CompletionWithDesc(key+"="+string(t), t.About()))
		}
	}
	for _, name := range namedPolicies(cmd) {
		p, err := policy.Find(name)
		if err != nil {
			continue
		}
		for _, parameter := range p.Keys() {
			if parameter.Key != key {
				continue
			}
			for _, word := range parameter.Words {
				list = append(list, fmt.Sprintf("%s=%s", key, word))
			}
		}
	}
	return list
}
