package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/trace"
)

func campaignReportCommand(s *State) *cobra.Command {
	var f form
	var pareto, sensitivity string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Compare the policies of a campaign from its run directories",
		Long: `Computes the metrics of all complete runs in a folder from their raw files and
compares the policies of the campaign file's pairs, for each machine, workload
and kind of cluster on its own. Without a campaign file, as in the folder of
"slurmlab compare", each policy is compared with backfill or the first by name.

report.html in the folder has everything, for a browser. comparison.csv and
runs.csv have all metrics, of which the table for people has the most important
ones; manifest.csv lists the runs anew, and pareto.svg shows the policies by the
two metrics of --pareto. Of each setting with several values sensitivity.csv and
sensitivity-POLICY-SETTING.svg show the metrics over the values; the picture has
those of --sensitivity.`,
		Example:           "  slurmlab campaign report study\n  slurmlab campaign report study --format csv\n  slurmlab campaign report study --pareto slowdown,packing",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofFolders).first().cobra,
		RunE: func(_ *cobra.Command, args []string) error {
			x, y, errPareto := report.TwoMetrics(pareto)
			measures, errSensitivity := report.SomeMetrics(sensitivity)
			if err := errors.Join(f.check(), errPareto, errSensitivity); err != nil {
				return usage(err)
			}
			g, err := gather(s, args[0])
			if err != nil {
				return err
			}
			r, err := report.NewStudy(g.Folder, x, y, measures)
			if err != nil {
				return err
			}
			if sensitivity != usualSensitivity && !r.HasSettings() {
				return usage(fmt.Errorf("sensitivity: has no effect, as %s has no runs under several values of a setting", args[0]))
			}
			if g.study != nil {
				if err = g.study.writeManifest(g.entries); err != nil {
					return err
				}
			}
			return tellStudy(s, f, r)
		},
	}
	f.flags(cmd)
	under(cmd, headResults, func(set *pflag.FlagSet) {
		set.StringVar(&pareto, "pareto", usualPareto, "two metrics by which pareto.svg shows the policies")
		set.StringVar(&sensitivity, "sensitivity", usualSensitivity, "metrics in the pictures of settings with several values")
	})
	completeFlag(cmd, "pareto", ofMetrics("").separated())
	completeFlag(cmd, "sensitivity", ofMetrics("").separated())
	return cmd
}

// usualPareto are the metrics of pareto.svg, usualSensitivity those of the pictures of settings.
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
	if !f.forPeople() {
		return f.print(s, r.All, "")
	}
	text := ""
	for _, line := range r.Lines() {
		text += wrap(line, "", s.width()) + "\n"
	}
	if _, err = io.WriteString(s.Stdout, text); err != nil || len(r.Groups) == 0 {
		return err
	}
	if err = f.print(s, r.Few, "--wide"); err != nil {
		return err
	}
	return s.conclusion(f, fmt.Sprintf("%s (%s)", r.Path, strings.Join(files, ", ")))
}

// gathered are the runs of a folder.
type gathered struct {
	report.Folder
	// entries are all runs of the campaign, and study is what asks for them; nil without a campaign file.
	entries []entry
	study   *study
}

// gather reads the complete runs of a folder, of which there must be one.
func gather(s *State, folder string) (gathered, error) {
	g, complete, err := survey(s, folder)
	if err != nil {
		return g, err
	}
	if len(complete) == 0 {
		return g, usage(fmt.Errorf("report: %s has no complete run", folder))
	}
	return g, g.read(complete)
}

// survey finds the complete runs of a folder and reads none: those of its campaign, or all where
// it has no campaign file.
func survey(s *State, folder string) (gathered, []string, error) {
	g := gathered{Folder: report.Folder{Path: folder, Labels: map[string]string{}, Aside: map[string]int{}}}
	for _, name := range run.Aside(folder) {
		g.Aside[name]++
	}
	var complete []string
	if _, err := os.Stat(filepath.Join(folder, inputsName, campaignName)); err == nil {
		st, openErr := openStudy(folder, fileFlags{})
		if openErr != nil {
			return g, nil, openErr
		}
		if g.entries, err = st.entries(s); err != nil {
			return g, nil, err
		}
		g.Builds = otherBuilds(g.entries)
		for _, e := range g.entries {
			g.Asked = append(g.Asked, e.asked())
			if e.state == run.StateComplete {
				complete, g.Labels[e.config.Dir] = append(complete, e.config.Dir), e.label
			}
		}
		g.Pairs, g.study, g.Sweeps = st.Pairs, &st, st.Sweeps
		if st.Until != nil {
			g.Aim = func(groups []compare.Grouped) []string { return append(standings(*st.Until, groups), st.sequential()) }
		}
		return g, complete, nil
	}
	for _, path := range campaign.RunsIn(folder) {
		record, readErr := readRecord(path)
		switch {
		case errors.Is(readErr, fs.ErrNotExist):
			// It was set aside, or killed before it had begun.
		case readErr != nil:
			return g, nil, readErr
		case record.Status == trace.StatusComplete:
			complete, g.Labels[path] = append(complete, path), record.Workload
		}
	}
	return g, complete, nil
}

// read reads the complete runs.
func (g *gathered) read(complete []string) error {
	runs, err := metric.LoadNamed(metric.LoadLean, complete...)
	if err != nil {
		return err
	}
	g.Take(runs)
	return nil
}
