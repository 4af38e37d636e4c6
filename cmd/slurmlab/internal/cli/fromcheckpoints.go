package cli

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// fromCheckpoints holds the flag --checkpoint of a comparison, whose runs go on from checkpoints. Each of these, of a seed
// of its own, is a replica.
type fromCheckpoints struct {
	paths []string
	// opened are the checkpoints of paths, after read.
	opened []*run.Checkpoint
}

func (f *fromCheckpoints) flag(cmd *cobra.Command) {
	declare(cmd, headJobs, flag("checkpoint", &f.paths, nil, "compare how runs that were stopped go on: the directory of a checkpoint, or several of different seeds, each a replica").completes(completions(ofDirectories).separated()))
}

// read opens the checkpoints. The comparison gets their backend, and without --policies their policy. The error lists
// all faults.
func (f *fromCheckpoints) read(e *experiment) error {
	if len(f.paths) == 0 {
		return nil
	}
	var faults []error
	if !e.given.Changed("policies") && !e.given.Changed("vary") && !e.given.Changed("variants") {
		faults = append(faults, errors.New("checkpoint: without --policies, --vary and --variants there is nothing to compare, want one of these"))
	}
	for _, path := range f.paths {
		found, err := run.OpenCheckpoint(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, other := range f.opened {
			faults = append(faults, other.CheckReplica(found))
		}
		f.opened = append(f.opened, found)
	}
	if len(f.opened) > 0 && !e.given.Changed("policies") {
		e.past = []policy.Policy{f.opened[0].Request.Policy}
	}
	return errors.Join(faults...)
}

// configs lists the runs, those that go on from the same checkpoint next to each other. The error lists the faults
// that the caller found together with its own.
func (f *fromCheckpoints) configs(e *experiment, two *sideFlags, faults ...error) ([]run.Config, error) {
	faults = append(faults, e.checkContinued())
	if len(f.opened) > 0 && len(e.backends) == 1 {
		e.continueOn(f.opened[0])
	}
	if e.Out != "" {
		faults = append(faults, checkRuns(e.Out))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, usage(err)
	}
	old := f.opened[0].Settings
	e.nameOut(old.Machine.Name, old.Workload)
	var configs []run.Config
	for _, past := range f.opened {
		for _, p := range two.policies {
			c, err := past.Continue(p, filepath.Join(e.Out, past.RunName(p)), e.continued())
			if err != nil {
				return nil, err
			}
			configs = append(configs, c)
		}
	}
	return configs, nil
}
