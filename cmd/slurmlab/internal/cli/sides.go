package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
)

// sideFlags choose the two sides of a comparison: two policies, or two kinds of cluster
// under one policy.
type sideFlags struct {
	policyNames, slurms, images []string
	// settings make the second side of the one policy.
	settings []string
	// variantsFile has further sides, and sweeps are its settings with several values.
	variantsFile string
	sweeps       []compare.Sweep
	// policies and kinds are what read found: one or two of each, with a file of variants more
	// policies.
	policies []policy.Policy
	kinds    []kindFlags
}

func (f *sideFlags) flags(cmd *cobra.Command) {
	under(cmd, headPolicy, func(set *pflag.FlagSet) {
		set.StringSliceVar(&f.policyNames, "policies", []string{policy.Backfill, policy.Auction}, "the two policies, or the one of --set or of two kinds of cluster")
		set.StringArrayVar(&f.settings, "set", nil, "compare a policy (backfill, or that of --policies) with itself under KEY=VALUE; may be given again, for settings together")
	})
	completeFlag(cmd, "set", ofWords(policy.SettingKeys()...))
	under(cmd, headPolicy, func(set *pflag.FlagSet) {
		set.StringVar(&f.variantsFile, "variants", "", "YAML file with a list of policies and their settings, as in a campaign file; all are compared with the first, or with that of --policies")
	})
	completeFlag(cmd, "variants", ofFiles(".yaml", ".yml"))
	completeFlag(cmd, "policies", completions(ofPolicies).separated())
	under(cmd, headCluster, func(set *pflag.FlagSet) {
		set.StringSliceVar(&f.slurms, "slurm", []string{backend.Default().Name()}, "kind of cluster, or two to compare, by its Slurm: "+kindHelp())
		set.StringSliceVar(&f.images, "image", nil, "cluster image, one for each of --slurm (default: those of --slurm)")
	})
	completeFlag(cmd, "slurm", completions(ofSlurms).separated())
}

// read finds policies and kinds, and makes the first kind that of the experiment. The
// error lists every fault of the flags.
func (f *sideFlags) read(e *experiment) error {
	var faults []error
	if err := f.change(e); err != nil {
		faults = append(faults, err)
	}
	if err := f.vary(e); err != nil {
		faults = append(faults, err)
	}
	want := "two, separated by a comma"
	switch len(f.slurms) {
	case 0:
		// The kind of the experiment is checked with it, and has no name.
	case 1:
		if f.variantsFile == "" {
			faults = append(faults, f.checkPolicies(2, want))
		}
	case 2:
		faults = append(faults, f.checkPolicies(1, "one under which two kinds of cluster are compared"))
		if f.slurms[0] == f.slurms[1] {
			faults = append(faults, fmt.Errorf("slurm: %q is named twice, want two different ones", f.slurms[0]))
			f.slurms = f.slurms[:1]
		}
	default:
		faults = append(faults, fmt.Errorf("slurm: got %d, want one, or two to compare", len(f.slurms)))
	}
	if n := len(f.images); n > 0 && n != len(f.slurms) {
		faults = append(faults, fmt.Errorf("image: got %d, want %d, one for each of --slurm", n, len(f.slurms)))
		f.images = nil
	}
	for i, name := range f.slurms {
		kind := kindFlags{slurm: name}
		if len(f.images) > 0 {
			kind.name = f.images[i]
		}
		f.kinds = append(f.kinds, kind)
	}
	// They are checked with the experiment.
	if len(f.kinds) > 0 {
		e.kind, e.others = f.kinds[0], f.kinds[1:]
	}
	return errors.Join(append(faults, f.findPolicies(e))...)
}

// readSetting reads a value of --set.
func readSetting(text string) (policy.Setting, error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return policy.Setting{}, fmt.Errorf("set: got %q, want KEY=VALUE, as in --set bf_window=5760", text)
	}
	return policy.Setting{Key: key, Value: value}, nil
}

// change has the one policy there a second time with the settings.
func (f *sideFlags) change(e *experiment) error {
	if len(f.settings) == 0 {
		return nil
	}
	for _, s := range f.settings {
		if _, err := readSetting(s); err != nil {
			return err
		}
	}
	if !e.given.Changed("policies") {
		f.policyNames = []string{e.usual()}
	}
	if n := len(f.policyNames); n != 1 || len(f.slurms) > 1 {
		return fmt.Errorf("set: got it with %d policies and %d kinds of cluster, want one of each; in a list of policies write NAME+KEY=VALUE, as in backfill,auction+window=50", n, len(f.slurms))
	}
	f.policyNames = append(f.policyNames, f.policyNames[0]+"+"+strings.Join(f.settings, "+"))
	return nil
}

// vary has the policies of --policies, if they are given, in front of those of the file of
// variants.
func (f *sideFlags) vary(e *experiment) error {
	if f.variantsFile == "" {
		return nil
	}
	if len(f.settings) > 0 || len(f.slurms) > 1 {
		f.variantsFile = ""
		return errors.New("variants: got it with --set or two kinds of cluster, want one of these; settings can stand in the file, too")
	}
	if !e.given.Changed("policies") {
		f.policyNames = nil
	}
	return nil
}

// variants are those of the file. One without a policy has the settings of the first of
// --policies, or of the usual policy, in the place of its own.
func (f *sideFlags) variants(e *experiment) ([]policy.Policy, error) {
	if f.variantsFile == "" {
		return nil, nil
	}
	text, err := input.ReadFile(f.variantsFile)
	if err != nil {
		return nil, fmt.Errorf("variants: %w", err)
	}
	base := e.usual()
	if len(f.policyNames) > 0 {
		base = f.policyNames[0]
		if _, err = e.find(base); err != nil {
			// That is told already, and would be said of each entry.
			return nil, nil
		}
	}
	list, sweeps, err := campaign.Variants(f.variantsFile, text, base, e.find)
	f.sweeps = sweeps
	if err == nil && len(list)+len(f.policyNames) < 2 {
		err = fmt.Errorf("variants: %s has one policy, want two or more, or one of --policies beside it", f.variantsFile)
	}
	return list, err
}

// checkPolicies says that there are so many.
func (f *sideFlags) checkPolicies(n int, want string) error {
	if len(f.policyNames) == n {
		return nil
	}
	err := fmt.Errorf("policies: got %d, want %s", len(f.policyNames), want)
	f.policyNames = nil
	return err
}

// findPolicies finds the policies, as experiment.policy does, and all faults of both.
func (f *sideFlags) findPolicies(e *experiment) error {
	var faults []error
	if names := f.policyNames; len(names) == 2 && names[0] == names[1] {
		faults = append(faults, fmt.Errorf("policies: %q is named twice, want two different ones", names[0]))
		f.policyNames = names[:1]
	}
	take := func(found policy.Policy, err error) {
		f.policies = append(f.policies, found)
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			// The policies mostly have the same faults of flags.
			if !slices.ContainsFunc(faults, func(f error) bool { return f.Error() == line }) {
				faults = append(faults, errors.New(line))
			}
		}
	}
	for _, name := range f.policyNames {
		take(e.policy(name))
	}
	variants, err := f.variants(e)
	if err != nil {
		faults = append(faults, err)
	}
	for _, p := range variants {
		take(e.changed(p))
	}
	for i, p := range f.policies {
		// Their runs would have the same directories.
		if len(faults) == 0 && slices.ContainsFunc(f.policies[:i], func(other policy.Policy) bool { return other.Name == p.Name }) {
			faults = append(faults, fmt.Errorf("policies: two are called %s, want names that differ", p.Name))
		}
	}
	if len(faults) == 0 && len(f.policies) > 0 {
		faults = append(faults, e.effects(f.policies...))
	}
	return errors.Join(faults...)
}

// sides are the sides, after read.
func (f *sideFlags) sides() []campaign.Side {
	if len(f.kinds) == 1 {
		var all []campaign.Side
		for _, p := range f.policies {
			all = append(all, f.kinds[0].under(p))
		}
		return all
	}
	return []campaign.Side{f.kinds[0].under(f.policies[0]), f.kinds[1].under(f.policies[0])}
}
