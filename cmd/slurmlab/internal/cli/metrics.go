package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// metricsView says which table of the metrics is printed.
type metricsView struct {
	form
	// by is one of metric.GroupBys for groups of jobs, empty for all jobs.
	by string
	// all has a row per metric instead of one per run.
	all         bool
	definitions bool
	rawCells    bool
}

func metricsCommand(s *State) *cobra.Command {
	var view metricsView
	cmd := &cobra.Command{
		Use:   "metrics DIR...",
		Short: "Recompute the metrics of complete runs from their raw files",
		Long: `Recomputes the metrics of complete runs from run.json, workload.csv, sacct.txt,
cycles.jsonl and sdiag.txt, writes jobs.csv, series.csv and metrics.json beside
them, and prints a table.

In text the table has the most important metrics: up to four runs stand side by
side, a line each metric; of more runs each has a row, with as many columns as
fit the screen. A line below says how many metrics are left out. CSV and JSON
have all metrics, Markdown the columns of the papers. A screen has as many
characters in a line as the terminal, or as the variable COLUMNS says; without
either it has 80.

With --definitions no run is needed: in text each metric is a paragraph, in
other forms a row of a table.`,
		Example: `  slurmlab metrics runs/demo-*/S-V.2-*
  slurmlab metrics --all my-run
  slurmlab metrics --wide runs/demo-*/S-V.2-* | less -S
  slurmlab metrics --format json my-run
  slurmlab metrics --by size my-run
  slurmlab metrics --by account --format csv my-run
  slurmlab metrics --definitions`,
		ValidArgsFunction: completions(ofRuns).cobra,
		Args: func(cmd *cobra.Command, args []string) error {
			if view.definitions {
				return noArguments(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := view.check(); err != nil {
				return usage(err)
			}
			view.Raw = view.rawCells
			if view.definitions {
				return view.printDefinitions(s)
			}
			runs, err := metric.LoadNamed(run.Metrics, args...)
			if err != nil {
				return err
			}
			return view.run(s, "--all, --wide, --format csv or json", runs...)
		},
	}
	view.flags(cmd)
	declare(cmd, headResults,
		flag("all", &view.all, false, "all metrics, a row each and a column per run"),
		flag("definitions", &view.definitions, false, "print what every metric means, without a run"),
	)
	declare(cmd, headResults, flag("raw-cells", &view.rawCells, false, rawCellsHelp))
	byFlag(cmd, &view.by, "divide the jobs of each run: ")
	return cmd
}

// rawCellsHelp is the help of --raw-cells.
const rawCellsHelp = "in CSV, put no apostrophe before texts that a spreadsheet would take for formulas (= + - @)"

// check lists all faults of the flags.
func (v metricsView) check() error {
	var bad []error
	if err := v.Check(); err != nil {
		bad = append(bad, err)
	}
	if err := checkBy(v.by); err != nil {
		bad = append(bad, err)
	}
	if v.by != "" && v.all {
		bad = append(bad, errors.New("by and all exclude each other"))
	}
	if v.rawCells && v.Format != table.CSVFormat {
		bad = append(bad, fmt.Errorf("raw-cells: has no effect with format %s, only with csv; leave it out", v.Format))
	}
	if v.definitions && v.Wide {
		bad = append(bad, errors.New("wide: got it with definitions, which have no columns to leave out"))
	}
	if v.definitions && (v.by != "" || v.all) {
		bad = append(bad, errors.New("definitions and by or all exclude each other"))
	}
	return errors.Join(bad...)
}

// run prints the table of recomputed runs and says what speaks against them. more
// tells how to see the metrics that do not fit the screen.
func (v metricsView) run(s *State, more string, runs ...metric.Result) error {
	all := make([]metric.Metrics, len(runs))
	for i, r := range runs {
		all[i] = *r.Metrics
	}
	var err error
	if v.Format == table.TextFormat && !v.Wide && v.by == "" {
		err = s.explained(func(w io.Writer) error { return v.fit(w, s.screen(), all, more) })
	} else {
		err = v.whole(s, all)
	}
	s.warn(runs...)
	return err
}

func (v metricsView) printDefinitions(s *State) error {
	if v.Format == table.TextFormat {
		_, err := io.WriteString(s.Stdout, table.DefinitionsText(metric.Measures(), s.width()))
		return err
	}
	t, err := table.Definitions()
	if err != nil {
		return err
	}
	return v.print(s, t, "")
}

// fit writes what a screen shows of runs.
func (v metricsView) fit(w io.Writer, screen int, all []metric.Metrics, more string) error {
	if !v.all {
		view, err := table.FitRuns(all, screen)
		if err != nil {
			return err
		}
		return view.WriteScreen(w, screen, "metric", more)
	}
	views, err := table.FitMeasures(all, screen)
	for i, view := range views {
		if i > 0 {
			view.Common = ""
			_, lineErr := io.WriteString(w, "\n")
			err = errors.Join(err, lineErr)
		}
		err = errors.Join(err, view.WriteScreen(w, screen, "", ""))
	}
	return err
}

// whole prints a table of runs that does not depend on the screen, or of groups of jobs.
func (v metricsView) whole(s *State, all []metric.Metrics) error {
	var t table.Table
	var err error
	switch {
	case v.by != "":
		t, err = table.Groups(all, v.by)
	case v.all:
		t, err = table.Measures(all, metric.Measures())
	default:
		t, err = table.Runs(all)
	}
	if err != nil {
		return err
	}
	return v.print(s, t, "--wide, --format csv or json")
}
