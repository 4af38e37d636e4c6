package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

// resumeFlag sets dir to the flag --resume.
func resumeFlag(cmd *cobra.Command, dir *string) {
	declare(cmd, headResults, flag("resume", dir, "", "complete the run in this directory, which broke after its last job had ended").completes(ofRuns).usual())
}

// resumeRun completes a run whose jobs have all ended, and concludes it as "run" does.
func resumeRun(ctx context.Context, s *State, f form, path string, allowFailed bool, given *pflag.FlagSet) error {
	faults := []error{f.Check()}
	given.Visit(func(flag *pflag.Flag) {
		if !slices.Contains([]string{"resume", "allow-failed", "format", "wide", "quiet"}, flag.Name) {
			faults = append(faults, fmt.Errorf("%s: has no effect with --resume, whose run has been made", flag.Name))
		}
	})
	dir, err := trace.Open(path)
	if err = errors.Join(append(faults, err)...); err != nil {
		return usage(err)
	}
	record, err := dir.ReadRun()
	if err != nil {
		return err
	}
	if err = dir.CheckProgram(record); err != nil {
		s.told(err.Error())
	}
	if err = run.Finish(ctx, dir, allowFailed, s.told); err != nil {
		return err
	}
	return concludeRun(s, f, path)
}
