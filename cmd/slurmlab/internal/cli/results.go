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

func tableWriter(format string) (func(table.Table, io.Writer) error, error) {
	switch format {
	case "text":
		return table.Table.WriteText, nil
	case "csv":
		return table.Table.WriteCSV, nil
	case "markdown":
		return table.Table.WriteMarkdown, nil
	default:
		return nil, fmt.Errorf("format: %q is not known, allowed are text, csv and markdown", format)
	}
}

// load reads complete runs with read, lab.Load or lab.Metrics.
func load(read func(trace.Dir) (trace.Data, metric.Metrics, error), dirs ...string) ([]report.Run, error) {
	runs := make([]report.Run, 0, len(dirs))
	var faults []error
	for _, path := range dirs {
		dir, err := trace.Open(path)
		if err != nil {
			faults = append(faults, usage(err))
			continue
		}
		data, m, err := read(dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		runs = append(runs, report.Run{Path: path, Data: data, Metrics: &m})
	}
	return runs, errors.Join(faults...)
}

func reportCommand(s *State) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "report DIR...",
		Short:   "Write a self-contained HTML report about runs",
		Example: "  slurmlab report --out report.html demo/S-V.2-*",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := loadAny(args)
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
	return cmd
}

// loadAny is load for runs in any state: of one that is not complete the
// report shows why.
func loadAny(dirs []string) ([]report.Run, error) {
	runs := make([]report.Run, 0, len(dirs))
	var faults []error
	for _, path := range dirs {
		dir, err := trace.Open(path)
		if err != nil {
			faults = append(faults, usage(err))
			continue
		}
		data, err := dir.Partial()
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if data.Run.Status != trace.StatusComplete {
			runs = append(runs, report.Run{Path: path, Data: data})
			continue
		}
		complete, err := load(lab.Load, path)
		faults = append(faults, err)
		runs = append(runs, complete...)
	}
	return runs, errors.Join(faults...)
}

// writeFile writes to memory first, so that a fault leaves no file.
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

// compared is a complete run as package compare takes it.
func compared(r report.Run) compare.Run {
	return compare.Run{Run: r.Data.Run, Workload: r.Data.Workload, Metrics: *r.Metrics, Jobs: r.Data.Jobs}
}

// conclude compares the runs of an experiment, which come in pairs, prints the
// comparison and writes tables, pictures and report into out.
func conclude(s *State, out string, dirs []string) error {
	runs, err := load(lab.Load, dirs...)
	if err != nil {
		return err
	}
	var sides [2][]compare.Run
	all := make([]metric.Metrics, len(runs))
	for i, r := range runs {
		sides[i%2] = append(sides[i%2], compared(r))
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
			writeFile(filepath.Join(out, name+".md"), t.WriteMarkdown),
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
		input.Samples = []plot.Sample{sample(sides[0]), sample(sides[1])}
		err = writeFile(filepath.Join(out, "replicas.svg"), func(w io.Writer) error { return plot.Replicas(w, input.Samples...) })
		if err != nil {
			return err
		}
		input.Tables = []report.Table{
			{Caption: fmt.Sprintf("Comparison over %d replicas", len(sides[0])), Header: compared.Header(), Rows: compared.Rows()},
			{Caption: "All runs", Header: perRun.Header(), Rows: perRun.Rows()},
		}
	}
	if err := writeFile(filepath.Join(out, "report.html"), func(w io.Writer) error { return report.Write(w, input) }); err != nil {
		return err
	}
	return compared.WriteText(s.Stdout)
}

// sample is all replicas of a policy.
func sample(side []compare.Run) plot.Sample {
	s := plot.Sample{Policy: side[0].Run.Policy}
	for _, r := range side {
		s.Metrics = append(s.Metrics, r.Metrics)
	}
	return s
}

// writePlots draws the pictures of one run into its directory.
func writePlots(dir string) error {
	runs, err := load(lab.Load, dir)
	if err != nil {
		return err
	}
	return drawAll(dir, runs...)
}

func drawAll(out string, runs ...report.Run) error {
	schedules := make([]plot.Schedule, len(runs))
	for i, r := range runs {
		schedules[i] = plot.Schedule{Policy: r.Data.Run.Policy, Machine: r.Data.Run.Machine, Jobs: r.Data.Jobs}
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
