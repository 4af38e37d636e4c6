package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/trace"
)

// load opens run directories and reads them with read, which is run.Load,
// run.Metrics or loadAny. The error lists the faults of all of them.
func load(read func(trace.Dir) (metric.Result, error), dirs ...string) ([]metric.Result, error) {
	runs := make([]metric.Result, 0, len(dirs))
	var faults []error
	for _, path := range dirs {
		dir, err := trace.Open(path)
		if err != nil {
			faults = append(faults, usage(err))
			continue
		}
		run, err := read(dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		runs = append(runs, run)
	}
	return runs, errors.Join(faults...)
}

// loadNamed is load for tables and pages that name runs by their policies.
func loadNamed(read func(trace.Dir) (metric.Result, error), dirs ...string) ([]metric.Result, error) {
	results, err := load(read, dirs...)
	runs := make([]trace.Run, len(results))
	for i, r := range results {
		runs[i] = r.Run
	}
	return results, errors.Join(err, usage(trace.CheckPolicyNames(runs)))
}

func reportCommand(s *State) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:               "report DIR...",
		Short:             "Write a self-contained HTML report about runs",
		Example:           "  slurmlab report --out report.html demo/S-V.2-*",
		ValidArgsFunction: completions(ofRuns).cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := loadNamed(loadAny, args...)
			if err != nil {
				return err
			}
			err = writeFile(out, func(w io.Writer) error { return report.Write(w, report.Input{Runs: runs}) })
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.Stdout, out)
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "report.html", "file to write")
	completeFlag(cmd, "out", ofFiles(".html"))
	return cmd
}

// loadAny reads a run in any state, for the report: it shows of a run that is not
// complete why it is not.
func loadAny(dir trace.Dir) (metric.Result, error) {
	data, err := dir.Partial()
	if err != nil {
		return metric.Result{}, err
	}
	if data.Run.Status == trace.StatusComplete {
		return run.Load(dir)
	}
	return metric.Result{Path: dir.Path(), Data: data}, nil
}

// writeFile writes a file whose content is made in memory first, so that a fault
// leaves no file.
func writeFile(path string, write func(io.Writer) error) error {
	var page bytes.Buffer
	if err := write(&page); err != nil {
		return err
	}
	return trace.WriteAtomic(path, func(w io.Writer) error {
		_, err := page.WriteTo(w)
		return err
	})
}

// writePlots draws the pictures of one run into its directory.
func writePlots(dir string) error {
	runs, err := load(run.Load, dir)
	if err != nil {
		return err
	}
	r := runs[0]
	return drawAll(dir, plot.Schedule{Name: r.Run.Policy, Machine: r.Run.Machine, Jobs: r.Jobs})
}

func drawAll(out string, schedules ...plot.Schedule) error {
	return errors.Join(
		writeFile(filepath.Join(out, "gantt.svg"), func(w io.Writer) error { return plot.Gantt(w, schedules...) }),
		writeFile(filepath.Join(out, "load.svg"), func(w io.Writer) error { return plot.Load(w, schedules...) }),
		writeFile(filepath.Join(out, "waiting.svg"), func(w io.Writer) error { return plot.WaitingECDF(w, schedules...) }),
		writeFile(filepath.Join(out, "sizes.svg"), func(w io.Writer) error { return plot.WaitingBySize(w, schedules...) }),
		writeFile(filepath.Join(out, "allocation.svg"), func(w io.Writer) error {
			return plot.Allocation(w, plot.Quarters(schedules...), schedules...)
		}),
	)
}
