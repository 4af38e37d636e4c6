package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/faults"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// metricsView says which table of the metrics is printed.
type metricsView struct {
	format string
	// by is one of metric.GroupBys for groups of jobs, empty for all jobs.
	by string
	// all has a row per metric instead of one per run.
	all         bool
	definitions bool
}

func metricsCommand(s *State) *cobra.Command {
	var view metricsView
	cmd := &cobra.Command{
		Use:   "metrics DIR...",
		Short: "Recompute the metrics of complete runs from their raw files",
		Long: `Recomputes the metrics of complete runs from run.json, workload.csv, sacct.txt,
cycles.jsonl and sdiag.txt, writes jobs.csv, series.csv and metrics.json beside
them, and prints a table with a row per run. In text and Markdown it has the
columns of the papers, in CSV all metrics.

With --definitions no run is needed: in text each metric is a paragraph, in CSV
and Markdown a row of a table.`,
		Example: `  slurmlab metrics demo/S-V.2-*
  slurmlab metrics --all my-run
  slurmlab metrics --by size my-run
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
			return printMetrics(s, view, args...)
		},
	}
	cmd.Flags().StringVar(&view.format, "format", "text", "text, csv or markdown")
	complete(cmd, "format", ofWords(tableFormats()...))
	cmd.Flags().StringVar(&view.by, "by", "", "divide the jobs of each run: "+strings.Join(metric.GroupBys(), ", "))
	complete(cmd, "by", ofWords(metric.GroupBys()...))
	cmd.Flags().BoolVar(&view.all, "all", false, "all metrics, a row each and a column per run")
	cmd.Flags().BoolVar(&view.definitions, "definitions", false, "print what every metric means, without a run")
	return cmd
}

// check lists all faults of the flags.
func (v metricsView) check() error {
	var bad []error
	if _, err := tableWriter(v.format); err != nil {
		bad = append(bad, err)
	}
	if v.by != "" && !slices.Contains(metric.GroupBys(), v.by) {
		bad = append(bad, fmt.Errorf("by: %q is not known, allowed are %s%s", v.by, strings.Join(metric.GroupBys(), ", "), faults.DidYouMean(v.by, metric.GroupBys())))
	}
	if v.by != "" && v.all {
		bad = append(bad, errors.New("by and all exclude each other"))
	}
	if v.definitions && (v.by != "" || v.all) {
		bad = append(bad, errors.New("definitions and by or all exclude each other"))
	}
	return errors.Join(bad...)
}

// printMetrics recomputes the runs and prints their table.
func printMetrics(s *State, view metricsView, dirs ...string) error {
	write, err := tableWriter(view.format)
	if err != nil {
		return usage(err)
	}
	if view.definitions && view.format == textFormat {
		_, err = io.WriteString(s.Stdout, definitionsText(metric.Measures(), s.width()))
		return err
	}
	runs, err := load(lab.Metrics, dirs...)
	if err != nil {
		return err
	}
	all := make([]metric.Metrics, len(runs))
	for i, r := range runs {
		all[i] = *r.Metrics
	}
	t, err := view.table(all)
	if err != nil {
		return err
	}
	if view.format == textFormat {
		err = s.explained(t.WriteText)
	} else {
		err = write(t, s.Stdout)
	}
	s.warn(runs...)
	return err
}

func (v metricsView) table(all []metric.Metrics) (table.Table, error) {
	switch {
	case v.definitions:
		return table.Definitions()
	case v.by != "":
		return table.Groups(all, v.by)
	case v.all:
		return table.Measures(all)
	default:
		return table.Runs(all)
	}
}
