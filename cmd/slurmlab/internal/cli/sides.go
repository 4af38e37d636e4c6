package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/kinds"
	"github.com/slurmlab/slurmlab/policy"
)

// sideFlags choose the two sides of a comparison: two policies, or two kinds of cluster
// under one policy.
type sideFlags struct {
	policyNames, slurms, images []string
	// policies and kinds are what read found: one or two of each.
	policies []policy.Policy
	kinds    []kindFlags
}

func (f *sideFlags) flags(cmd *cobra.Command) {
	under(cmd, headPolicy, func(set *pflag.FlagSet) {
		set.StringSliceVar(&f.policyNames, "policies", []string{policy.Backfill, policy.Auction}, "the two policies, or the one of two kinds of cluster")
	})
	complete(cmd, "policies", completions(ofPolicies).separated())
	under(cmd, headCluster, func(set *pflag.FlagSet) {
		set.StringSliceVar(&f.slurms, "slurm", []string{kinds.All()[0].Name()}, "kind of cluster, or two to compare, by its Slurm: "+kindHelp())
		set.StringSliceVar(&f.images, "image", nil, "cluster image, one for each of --slurm (default: those of --slurm)")
	})
	complete(cmd, "slurm", completions(ofSlurms).separated())
}

// read finds policies and kinds, and makes the first kind that of the experiment. The
// error lists every fault of the flags.
func (f *sideFlags) read(e *experiment) error {
	var faults []error
	want := "two, separated by a comma"
	switch len(f.slurms) {
	case 0:
		// The kind of the experiment is checked with it, and has no name.
	case 1:
		faults = append(faults, f.checkPolicies(2, want))
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
	for _, name := range f.policyNames {
		found, err := e.policy(name)
		f.policies = append(f.policies, found)
		if err == nil {
			continue
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			// Both policies mostly have the same faults of flags.
			if !slices.ContainsFunc(faults, func(f error) bool { return f.Error() == line }) {
				faults = append(faults, errors.New(line))
			}
		}
	}
	if len(faults) == 0 && len(f.policies) > 0 {
		faults = append(faults, e.effects(f.policies...))
	}
	return errors.Join(faults...)
}

// sides are the two sides, after read.
func (f *sideFlags) sides() []side {
	if len(f.kinds) == 1 {
		return []side{{f.policies[0], f.kinds[0]}, {f.policies[1], f.kinds[0]}}
	}
	return []side{{f.policies[0], f.kinds[0]}, {f.policies[0], f.kinds[1]}}
}
