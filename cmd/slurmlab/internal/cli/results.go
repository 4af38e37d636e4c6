package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// load opens run directories and reads them with read, which is lab.Load,
// lab.Metrics or loadAny. The error lists the faults of all of them.
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

func reportCommand(s *State) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:               "report DIR...",
		Short:             "Write a self-contained HTML report about runs",
		Example:           "  slurmlab report --out report.html demo/S-V.2-*",
		ValidArgsFunction: completions(ofRuns).cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := load(loadAny, args...)
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
	complete(cmd, "out", ofFiles(".html"))
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
		return lab.Load(dir)
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

// conclude compares the runs of an experiment, which come in pairs, prints the
// comparison and writes tables, pictures and report into out.
func conclude(s *State, f form, out string, dirs []string) error {
	runs, err := load(lab.Load, dirs...)
	if err != nil {
		return err
	}
	var sides [2][]metric.Result
	all := make([]metric.Metrics, len(runs))
	for i, r := range runs {
		sides[i%2] = append(sides[i%2], r)
		all[i] = *r.Metrics
	}
	comparison, err := compare.Compare(sides[0], sides[1])
	if err != nil {
		return err
	}
	compared, err := comparison.Table()
	if err != nil {
		return err
	}
	perRun, err := table.Runs(all)
	if err != nil {
		return err
	}
	for name, t := range map[string]table.Table{"comparison": compared, "runs": perRun} {
		if err = errors.Join(
			writeFile(filepath.Join(out, name+".csv"), t.WriteCSV),
			writeFile(filepath.Join(out, name+".md"), func(w io.Writer) error {
				if name != "comparison" {
					return t.Document().WriteMarkdown(w)
				}
				_, summaryErr := fmt.Fprintf(w, "%s\n\n", comparison.Summary())
				return errors.Join(summaryErr, t.Document().WriteMarkdown(w))
			}),
		); err != nil {
			return err
		}
	}
	if err = drawAll(out, runs[0], runs[1]); err != nil {
		return err
	}
	input := report.Input{
		Title: fmt.Sprintf("%s and %s on machine %s, workload %s", comparison.A, comparison.B, comparison.Machine, comparison.Workload),
		Runs:  runs[:2],
	}
	if len(runs) > 2 {
		input.Replicas = sides[:]
		err = writeFile(filepath.Join(out, "replicas.svg"), func(w io.Writer) error {
			return plot.Replicas(w, plot.NewReplicaSet(sides[0]), plot.NewReplicaSet(sides[1]))
		})
		if err != nil {
			return err
		}
		input.Tables = []report.Table{
			{Caption: comparison.Summary(), Header: compared.Document().Header(), Rows: compared.Document().Rows()},
			{Caption: "All runs", Header: perRun.Document().Header(), Rows: perRun.Document().Rows()},
		}
	}
	if err = writeFile(filepath.Join(out, "report.html"), func(w io.Writer) error { return report.Write(w, input) }); err != nil {
		return err
	}
	if f.forPeople() {
		_, err = fmt.Fprintf(s.Stdout, "%s\n", wrap(comparison.Summary(), "", s.width()))
	}
	err = errors.Join(err, f.print(s, compared, filepath.Join(out, "comparison.csv")))
	s.warn(runs...)
	return errors.Join(err, s.conclusion(f, out+" (report.html, comparison.csv, runs.csv, pictures)", afterComparison(runs[0], runs[1])...))
}

// writePlots draws the pictures of one run into its directory.
func writePlots(dir string) error {
	runs, err := load(lab.Load, dir)
	if err != nil {
		return err
	}
	return drawAll(dir, runs...)
}

func drawAll(out string, runs ...metric.Result) error {
	schedules := make([]plot.Schedule, len(runs))
	for i, r := range runs {
		schedules[i] = plot.Schedule{Policy: r.Run.Policy, Machine: r.Run.Machine, Jobs: r.Jobs}
	}
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
