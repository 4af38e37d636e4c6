package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/report"
)

func campaignReportCommand(s *State) *cobra.Command {
	var f form
	var pareto, sensitivity string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Compare the policies of a campaign from its run directories",
		Long: `Computes the metrics of all complete runs in a folder from their raw files and
compares the policies of the campaign file's pairs, for each machine, workload
and backend on its own. Without a campaign file, as in the folder of
"slurmlab compare", each policy is compared with backfill or the first by name.
Of a folder of "slurmlab whatif" it prints the table of scenarios.

report.html in the folder has everything, for a browser. comparison.csv and
runs.csv have all metrics, of which the table for people has the most important
ones. manifest.csv lists the runs, and pareto.svg shows the policies by the two
metrics of --pareto. For each setting with several values, sensitivity.csv and
sensitivity-POLICY-SETTING.svg show the metrics over the values; the picture has
the metrics of --sensitivity.`,
		Example:           "  slurmlab campaign report study\n  slurmlab campaign report study --format csv\n  slurmlab campaign report study --pareto slowdown,packing",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofFolders).first().cobra,
		RunE: func(_ *cobra.Command, args []string) error {
			x, y, errPareto := report.TwoMetrics(pareto)
			measures, errSensitivity := report.SomeMetrics(sensitivity)
			if err := errors.Join(f.Check(), errPareto, errSensitivity); err != nil {
				return usage(err)
			}
			g, err := campaign.Gather(args[0], s.build())
			if err != nil {
				return err
			}
			if g.Study != nil && len(g.Study.Scenarios) > 0 {
				if pareto != usualPareto || sensitivity != usualSensitivity {
					return usage(fmt.Errorf("pareto, sensitivity: have no effect, as %s is a what-if study", args[0]))
				}
				return tellWhatIf(s, f, g.Study, compare.WhatIfOptions{})
			}
			r, err := report.NewStudy(g.Folder, x, y, measures)
			if err != nil {
				return err
			}
			if sensitivity != usualSensitivity && !r.HasSettings() {
				return usage(fmt.Errorf("sensitivity: has no effect, as %s has no runs under several values of a setting", args[0]))
			}
			if g.Study != nil {
				if err = g.Study.WriteManifest(g.Entries); err != nil {
					return err
				}
			}
			return tellStudy(s, f, r)
		},
	}
	f.flags(cmd)
	declare(cmd, headResults,
		flag("pareto", &pareto, usualPareto, "two metrics by which pareto.svg shows the policies").completes(ofMetrics("").separated()),
		flag("sensitivity", &sensitivity, usualSensitivity, "metrics in the pictures of settings with several values").completes(ofMetrics("").separated()),
	)
	return cmd
}

// usualPareto are the metrics of pareto.svg, usualSensitivity the metrics of the pictures of settings.
const (
	usualPareto      = "waiting,utilisation"
	usualSensitivity = "waiting,slowdown,utilisation"
)

// tellStudy writes the files and prints what they show.
func tellStudy(s *State, f form, r report.Study) error {
	files, err := r.Write()
	if err != nil {
		return err
	}
	if !f.ForPeople() {
		return f.print(s, r.All, "")
	}
	lines := ""
	for _, line := range r.Lines() {
		lines += text.Wrap(line, "", s.width()) + "\n"
	}
	if _, err = io.WriteString(s.Stdout, lines); err != nil || len(r.Groups) == 0 {
		return err
	}
	if err = f.print(s, r.Few, "--wide"); err != nil {
		return err
	}
	return s.conclusion(f, fmt.Sprintf("%s (%s)", r.Path, strings.Join(files, ", ")))
}
