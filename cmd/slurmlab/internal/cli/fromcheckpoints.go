package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// fromCheckpoints holds the flag --from of a comparison, whose runs go on from checkpoints. Each of these, of a seed
// of its own, is a replica.
type fromCheckpoints struct {
	paths []string
	// opened are the checkpoints of paths, after read.
	opened []checkpointFlags
}

func (f *fromCheckpoints) flag(cmd *cobra.Command) {
	under(cmd, headJobs, func(set *pflag.FlagSet) {
		set.StringSliceVar(&f.paths, "from", nil, "compare how runs that were stopped go on: the directory of a checkpoint, or several of different seeds, each a replica")
	})
	completeFlag(cmd, "from", completions(ofDirectories).separated())
}

// read opens the checkpoints, and makes their kind of cluster, and without --policies their policy, those of
// the comparison. The error lists all faults.
func (f *fromCheckpoints) read(e *experiment, two *sideFlags) error {
	if len(f.paths) == 0 {
		return nil
	}
	var faults []error
	if !e.given.Changed("policies") && !e.given.Changed("set") && !e.given.Changed("variants") {
		faults = append(faults, errors.New("from: without --policies, --set and --variants all runs would go on as before, want one of these"))
	}
	for _, path := range f.paths {
		found, err := run.OpenCheckpoint(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, other := range f.opened {
			faults = append(faults, checkReplicas(other, checkpointFlags{from: path, checkpoint: found}))
		}
		f.opened = append(f.opened, checkpointFlags{from: path, checkpoint: found})
	}
	if len(f.opened) > 0 {
		past := f.opened[0].checkpoint
		two.slurms = []string{past.Settings.Slurm}
		if !e.given.Changed("policies") {
			e.past = []policy.Policy{past.Request.Policy}
		}
	}
	return errors.Join(faults...)
}

// checkReplicas refuses two checkpoints whose runs differ in more than the seed, or not in it.
func checkReplicas(a, b checkpointFlags) error {
	before, after := a.checkpoint.Settings, b.checkpoint.Settings
	if before.Seed == after.Seed {
		return fmt.Errorf("from: %s and %s both have seed %d, want checkpoints of different seeds", a.from, b.from, before.Seed)
	}
	if d := before.Differences(after, trace.Free{Seed: true, Jobs: true}); len(d) > 0 {
		return fmt.Errorf("from: %s and %s differ in more than the seed: %s", a.from, b.from, d)
	}
	return nil
}

// configs lists the runs, those that go on from the same checkpoint next to each other. The error lists the faults
// that the caller found together with its own.
func (f *fromCheckpoints) configs(s *State, e *experiment, two *sideFlags, faults ...error) ([]run.Config, error) {
	faults = append(faults, e.checkContinued(len(f.opened) > 0))
	if e.Out != "" {
		faults = append(faults, checkRuns(e.Out))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, usage(err)
	}
	old := f.opened[0].checkpoint.Settings
	e.place(old.Machine.Name, old.Workload)
	var configs []run.Config
	for i := range f.opened {
		past := &f.opened[i]
		for _, p := range two.policies {
			c, err := past.config(s, e, p, filepath.Join(e.Out, past.name(p)))
			if err != nil {
				return nil, err
			}
			configs = append(configs, c)
		}
	}
	return configs, nil
}
