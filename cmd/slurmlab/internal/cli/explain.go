package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/explain"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

func explainCommand(s *State) *cobra.Command {
	var job, cycle int
	var l listing
	cmd := &cobra.Command{
		Use:   "explain DIR --job J",
		Short: "Say why a job of a run waited",
		Long: `Lists the cycles in which a job waited, with what became of it, and shows one
cycle in full: the bids that the job made, what each lacked, who took it, and
what the relaxed program charges for it; or why the job made no bid; and what
backfill would have done at that instant, by a model from the time limits.

The auction is played again from snapshots.jsonl.gz, so that nothing is solved.
Under Slurm's own backfill there is the model alone, at the job's submission;
under fifo there is only its rule. On a machine with groups of nodes there is
what the job waited for by the run's schedule: nodes of which groups, a limit,
or its turn, and which jobs held them. The policies that decide by the programs
of IPSCHED and AUCSCHED (ipsched, auction1 and the like) hold no auction, so
that their runs cannot be explained; cycles.jsonl has what is known of them.`,
		Example:           "  slurmlab explain runs/demo-*/S-V.2-auction-seed1 --job 7\n  slurmlab explain my-run --job 7 --cycle 12 --format json",
		ValidArgsFunction: completions(ofRuns).first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkExplain(cmd, l, job, cycle); err != nil {
				return usage(err)
			}
			dir, err := trace.Open(args[0])
			if err != nil {
				return usage(err)
			}
			input, err := explainInput(dir)
			if err != nil {
				return err
			}
			explanation, err := explain.Explain(input, job, cycle)
			if errors.Is(err, explain.ErrUnknown) {
				return usage(err)
			}
			if err != nil {
				return fmt.Errorf("explain %s, made by slurmlab %s: %w", dir.Path(), input.Run.ToolVersion, err)
			}
			return l.print(s, explanation, func(io.Writer) error {
				return s.explained(func(w io.Writer) error { return explain.WriteText(w, explanation) })
			})
		},
	}
	declare(cmd, headFlags, flag("job", &job, 0, "the job, by its id in the workload").completes(ofJobs()))
	declare(cmd, headFlags, flag("cycle", &cycle, 0, "the cycle to show in full (default: where the job lost longest)").completes(ofCycles()))
	l.flag(cmd)
	return cmd
}

func checkExplain(cmd *cobra.Command, l listing, job, cycle int) error {
	var faults []error
	if !cmd.Flags().Changed("job") {
		faults = append(faults, errors.New("job: --job is missing, want the id of a job of the workload, such as --job 1; jobs.csv of the run lists them"))
	} else if job < 1 {
		faults = append(faults, fmt.Errorf("job: %d is not allowed, want 1 or more", job))
	}
	if cmd.Flags().Changed("cycle") && cycle < 1 {
		faults = append(faults, fmt.Errorf("cycle: %d is not allowed, want 1 or more", cycle))
	}
	return errors.Join(append(faults, l.check())...)
}

// explainInput reads a run in any state.
func explainInput(dir trace.Dir) (explain.Input, error) {
	data, err := dir.Partial()
	if err != nil {
		return explain.Input{}, err
	}
	in := explain.Input{Run: data.Run, Cycles: data.Cycles}
	if in.Workload, in.Sacct, err = dir.Accounting(); err != nil {
		return in, err
	}
	if data.Cycles == nil && !dir.Has("cycles.jsonl") {
		return in, nil
	}
	const snapshots = "snapshots.jsonl.gz"
	if !dir.Has(snapshots) {
		return in, notRecorded(dir, data.Run)
	}
	in.Journal = func(use func(journal.Entry) error) (bool, error) {
		file, err := dir.Open(snapshots)
		if err != nil {
			return false, fmt.Errorf("read run file: %w", err)
		}
		defer func() { _ = file.Close() }()
		return journal.Read(file, dir.SnapshotsFile(), use)
	}
	return in, nil
}

// notRecorded says why a run with an agent has no snapshots.jsonl.gz.
func notRecorded(dir trace.Dir, run trace.Run) error {
	var p policy.Parameters
	// Runs of old versions do not name the method; they end below.
	err := json.Unmarshal(run.Parameters, &p)
	if err == nil && p.Method == policy.MethodProgram {
		return errors.Join(fmt.Errorf("%s cannot be explained: policy %s is a program of yours, which nobody here can play again; "+
			"%s says which jobs each cycle started or reserved, and what it refused of its answers",
			dir.Path(), run.Policy, dir.CyclesFile()), dir.CheckProgram(run))
	}
	if err == nil && p.Method != "" && p.Method != policy.MethodAuction {
		return fmt.Errorf("%s cannot be explained: policy %s decides by the integer program of method %s, not by an auction that could be played again; "+
			"%s says which jobs each cycle released or deferred, and why, and how far the solver got",
			dir.Path(), run.Policy, p.Method, dir.CyclesFile())
	}
	return fmt.Errorf("%s is missing: slurmlab %s did not record what the cycles decided on, or the run broke before the first of them",
		dir.SnapshotsFile(), run.ToolVersion)
}
