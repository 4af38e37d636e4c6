package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// maxSolve is far above what anybody waits for.
const maxSolve = 7 * 24 * time.Hour

func solveCommand(s *State) *cobra.Command {
	var limit time.Duration
	var l listing
	var image string
	cmd := &cobra.Command{
		Use:   "solve FILE...",
		Short: "Solve integer programs from files with the solver of the image",
		Long: `Solves programs that "slurmlab run --set dump_models=true" wrote, or any others,
one after the other, with HiGHS in a container of the image. A file is JSON
(.json) or MPS (.mps, free, or fixed with names without spaces), and may be
compressed (.gz).

The table has one line per file; the values of the variables, all that are not
0, are in the output of --format json, an array with an object per file.`,
		Example:           "  slurmlab dev solve runs/S-V.2-auction-seed1/models/cycle-000001.json.gz\n  slurmlab dev solve --time-limit 10m --format json hard.mps",
		ValidArgsFunction: ofFiles(".json", ".mps", ".gz").cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			programs, faults := readPrograms(args)
			faults = append(faults, l.check())
			if limit < time.Millisecond || limit > maxSolve {
				faults = append(faults, fmt.Errorf("time-limit: %s is not allowed, want 1ms to %s", limit, maxSolve))
			}
			if err := errors.Join(faults...); err != nil {
				return usage(err)
			}
			if _, err := run.CheckEngine(cmd.Context()); err != nil {
				return err
			}
			if _, err := run.CheckImage(cmd.Context(), run.Docker{}, image, s.Version, ""); err != nil {
				return err
			}
			answers := make([]program.Answer, len(programs))
			for i, p := range programs {
				var err error
				if answers[i], err = run.Solve(cmd.Context(), image, p, limit); err != nil {
					return fmt.Errorf("%s: %w", args[i], err)
				}
			}
			return l.print(s, answersJSON(args, answers), func(w io.Writer) error { return printAnswers(w, args, answers) })
		},
	}
	declare(cmd, headFlags, flag("time-limit", &limit, time.Minute, "real time limit of one solution"))
	l.flag(cmd)
	declare(cmd, headFlags, flag("image", &image, defaultImage(), "cluster image"))
	return cmd
}

// readPrograms reads all files, so that a faulty one is known before the first
// is solved.
func readPrograms(names []string) (programs []program.Program, faults []error) {
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		p, err := program.Read(name, file)
		_ = file.Close()
		if err != nil {
			faults = append(faults, err)
		}
		programs = append(programs, p)
	}
	return programs, faults
}

// answerJSON is the answer to the program of one file.
type answerJSON struct {
	File string `json:"file"`
	program.Answer
}

func answersJSON(files []string, answers []program.Answer) []answerJSON {
	list := make([]answerJSON, len(answers))
	for i, a := range answers {
		list[i] = answerJSON{files[i], a}
	}
	return list
}

func printAnswers(w io.Writer, files []string, answers []program.Answer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "file\tstatus\tobjective\tbound\tgap %\tseconds\tnonzero")
	for i, a := range answers {
		percent := a.Gap
		if percent != nil {
			percent = new(float64)
			*percent = 100 * *a.Gap
		}
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%.3f\t%d\n", files[i], a.Status,
			orDash(a.Objective, "%.8g"), orDash(a.Bound, "%.8g"), orDash(percent, "%.3g"), a.Seconds, len(a.Variables))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("print answer: %w", err)
	}
	return nil
}

// orDash formats a number, and writes "-" where there is none.
func orDash(v *float64, format string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}
