package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// defaultImage is the cluster image that "make image" builds.
func defaultImage() string { return backend.Default().Image() }

// kindFlags choose the kind of cluster and its image.
type kindFlags struct{ slurm, name string }

func (k *kindFlags) flags(cmd *cobra.Command) {
	under(cmd, headCluster, func(f *pflag.FlagSet) {
		f.StringVar(&k.slurm, "slurm", backend.Default().Name(), "kind of cluster, by its Slurm: "+kindHelp())
		f.StringVar(&k.name, "image", "", "cluster image (default: that of --slurm)")
	})
	completeFlag(cmd, "slurm", ofSlurms)
}

// kindHelp lists the kinds with what they are good for.
func kindHelp() string {
	var parts []string
	for _, k := range backend.All() {
		parts = append(parts, fmt.Sprintf("%s (%s)", k.Name(), k.Traits().About))
	}
	return faults.Or(parts)
}

func ofSlurms(*cobra.Command, []string, string) []cobra.Completion {
	var list []cobra.Completion
	for _, k := range backend.All() {
		list = append(list, cobra.CompletionWithDesc(k.Name(), k.Traits().About))
	}
	return list
}

// check reports an unknown kind.
func (k *kindFlags) check() error {
	_, err := backend.All().Find(k.slurm)
	return err
}

// under is a policy on the kind, as a side of a comparison.
func (k *kindFlags) under(p policy.Policy) campaign.Side {
	return campaign.Side{Policy: p, Slurm: k.slurm, Image: k.name}
}

// fit reports a machine that a known kind cannot have.
func (k *kindFlags) fit(m workloads.Machine) error {
	if k.check() != nil {
		return nil
	}
	return backend.All().Fit(k.slurm, m.Nodes, m.Unequal())
}

// image is the name of the image of a kind that is known.
func (k *kindFlags) image() string {
	chosen, err := backend.All().Find(k.slurm)
	if err != nil {
		return k.name
	}
	return cmp.Or(k.name, chosen.Image())
}

// find asks the runtime for the image of a kind that is known.
func (k *kindFlags) find(ctx context.Context, s *State, on run.Runtime) (run.Image, error) {
	return run.FindImage(ctx, on, k.slurm, k.image(), s.Version)
}
