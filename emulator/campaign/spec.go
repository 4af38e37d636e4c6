package campaign

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// Common is what the runs of a command have in common.
type Common struct {
	// Version and Revision are those of this slurmlab.
	Version, Revision string
	Clock             clock.Settings
	// FullConfiguration and AllowFailed are those of run.Config.
	FullConfiguration string
	AllowFailed       bool
	// Memory limits the clusters' memory in bytes, 0 for the limit that follows from the workload.
	Memory int64
}

// Side is what tells a run from the one that it is compared with: the policy, or the kind
// of cluster, whose image has the kind's own name where Image is empty.
type Side struct {
	Policy       policy.Policy
	Slurm, Image string
}

// Name names the run's directory and ends with the name of its side.
func (r Run) Name(side string) string {
	replica := "seed" + r.seedText()
	if number, windows := r.Workload.Window(); windows > 0 {
		replica = fmt.Sprintf("window%d", number)
	}
	return fmt.Sprintf("%s-%s-%s-%s", r.Machine.Name, r.Label, side, replica)
}

// Replicas are the run under n seeds, which count up from its own, or each of so many windows of its workload if there
// are any.
func (r Run) Replicas(n, windows int) ([]Run, error) {
	var list []Run
	if windows == 0 {
		for i := range uint64(n) {
			replica := r
			replica.Seed += i
			if i > 0 {
				replica.Jobs = nil
			}
			list = append(list, replica)
		}
		return list, nil
	}
	parts, err := r.Workload.Windows(windows)
	if err != nil {
		return nil, faults.Usage(err)
	}
	for _, part := range parts {
		r.Workload, r.Jobs = part, nil
		list = append(list, r)
	}
	return list, nil
}

// Config is the run on one side, as it is carried out in a directory. Its jobs are generated unless it has them, and its image
// is not known yet. What the policy cannot run is an error.
func (r Run) Config(of Side, dir string, c Common) (run.Config, error) {
	r.Policy, r.Slurm = of.Policy, of.Slurm
	if err := r.Policy.CheckLayout(r.Machine.Name, r.Machine.Layout); err != nil {
		return run.Config{}, faults.Usage(err)
	}
	if err := r.Policy.CheckSlurm(r.Slurm); err != nil {
		return run.Config{}, faults.Usage(err)
	}
	var err error
	if r.Jobs == nil {
		r.Jobs, err = r.Workload.Jobs(r.Machine, r.Seed)
	}
	if err == nil && r.Policy.HasAgent() {
		err = workloads.CheckPlain("policy "+r.Policy.Name, r.Jobs, r.Policy.Columns()...)
	}
	if err != nil {
		return run.Config{}, faults.Usage(err)
	}
	return r.config(of.Image, dir, c), nil
}

// config is Config of a run that was checked.
func (r Run) config(image, dir string, c Common) run.Config {
	// An unknown kind has no image, and is a fault of its own.
	if kind, err := backend.All().Find(r.Slurm); err == nil {
		image = cmp.Or(image, kind.Image())
	}
	return run.Config{
		Dir: dir, Slurm: r.Slurm, Image: image, Version: c.Version, Revision: c.Revision,
		Machine: r.Machine, Workload: r.Workload, Jobs: r.Jobs, Seed: r.Seed, Policy: r.Policy,
		FullConfiguration: c.FullConfiguration, Events: r.Events, Clock: c.Clock, AllowFailed: c.AllowFailed, Memory: c.Memory,
	}
}

// Pairs are the replicas on each side, in directories below out, the runs of a replica next to each other.
func Pairs(replicas []Run, sides []Side, out string, c Common) ([]run.Config, error) {
	var configs []run.Config
	for _, r := range replicas {
		for _, of := range sides {
			name := of.Policy.Name
			if sides[0].Slurm != sides[1].Slurm {
				name += "-" + of.Slurm
			}
			config, err := r.Config(of, filepath.Join(out, r.Name(name)), c)
			if err != nil {
				return nil, err
			}
			configs, r.Jobs = append(configs, config), config.Jobs
		}
	}
	return configs, nil
}
