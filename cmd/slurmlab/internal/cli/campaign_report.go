package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/campaign"
	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/format"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/results/warnings"
)

func campaignReportCommand(s *State) *cobra.Command {
	var f form
	var pareto string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Compare the policies of a campaign from its run directories",
		Long: `Computes the metrics of all complete runs in a folder from their raw files and
compares the policies of the campaign file's pairs, for each machine, workload
and kind of cluster on its own. Without a campaign file, as in the folder of
"slurmlab compare", each policy is compared with backfill or the first by name.

comparison.csv and runs.csv in the folder have all metrics, of which the table
for people has the most important ones; manifest.csv lists the runs anew, and
pareto.svg shows the policies by the two metrics of --pareto.`,
		Example:           "  slurmlab campaign report study\n  slurmlab campaign report study --format csv\n  slurmlab campaign report study --pareto slowdown,packing",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofFolders).first().cobra,
		RunE: func(_ *cobra.Command, args []string) error {
			x, y, err := twoMetrics(pareto)
			if err = errors.Join(f.check(), err); err != nil {
				return usage(err)
			}
			return reportStudy(s, f, args[0], x, y)
		},
	}
	f.flags(cmd)
	under(cmd, headResults, func(set *pflag.FlagSet) {
		set.StringVar(&pareto, "pareto", "waiting,utilisation", "two metrics by which pareto.svg shows the policies")
	})
	complete(cmd, "pareto", ofMetrics("").separated())
	return cmd
}

// gathered are the runs of a folder.
type gathered struct {
	runs []metric.Result
	// labels are the names of the runs' workloads in the campaign, by directory, archived or not.
	labels map[string]string
	pairs  [][2]string
	// manifest lists the runs of a campaign anew, nil for other folders.
	manifest func() error
	// disturbed counts the runs that others disturbed.
	disturbed int
	// missing counts the runs of the campaign that are not complete.
	missing int
	// study is nil without a campaign file.
	study *study
}

// groups compare the policies of the pairs, place by place.
func (g gathered) groups() ([]compare.Grouped, error) {
	return compare.Groups(g.runs, g.pairs, func(r metric.Result) string { return g.labels[trace.Unarchived(r.Path)] })
}

func reportStudy(s *State, f form, folder string, x, y metric.Measure) error {
	g, err := gather(s, folder)
	if err != nil {
		return err
	}
	if g.manifest != nil {
		if err = g.manifest(); err != nil {
			return err
		}
	}
	groups, err := g.groups()
	if err != nil {
		return err
	}
	all, errAll := compare.GroupTable(groups, false)
	few, errFew := compare.GroupTable(groups, true)
	perRun, errRuns := table.Runs(metricsOf(g.runs))
	if err = errors.Join(errAll, errFew, errRuns); err != nil {
		return err
	}
	for _, t := range []comparisonTable{{"comparison", "", all}, {"runs", "", perRun}} {
		if err = t.writeFiles(folder); err != nil {
			return err
		}
	}
	dominated, err := g.drawPareto(folder, x, y)
	if err != nil {
		return err
	}
	if !f.forPeople() {
		return f.print(s, all, "")
	}
	text := findingsText(g, groups, s.width())
	for _, line := range dominated {
		text += wrap(line, "", s.width()) + "\n"
	}
	if _, err = io.WriteString(s.Stdout, text); err != nil || len(groups) == 0 {
		return err
	}
	if err = f.print(s, few, "--wide"); err != nil {
		return err
	}
	return s.conclusion(f, folder+" (comparison.csv, runs.csv, pareto.svg)")
}

// findingsText says in a sentence each what the groups show, and what is missing.
func findingsText(g gathered, groups []compare.Grouped, width int) string {
	var b strings.Builder
	for _, of := range groups {
		b.WriteString(wrap(of.Finding(), "", width) + "\n")
	}
	if g.study != nil && g.study.Until != nil {
		for _, text := range append(standings(*g.study.Until, groups), g.study.sequential()) {
			b.WriteString(wrap(text, "", width) + "\n")
		}
	}
	if text := wolfText(groups); text != "" {
		b.WriteString(wrap(text, "", width) + "\n")
	}
	alone := 0
	for _, of := range groups {
		alone += of.Alone
	}
	if alone > 0 {
		b.WriteString(wrap(fmt.Sprintf("Left out: %s without the other of their pair.", format.Plural(alone, "run")), "", width) + "\n")
	}
	if g.disturbed > 0 {
		b.WriteString(wrap(fmt.Sprintf("Other programs took more than %g %% of the core in %s of %d; %s names them.",
			100*warnings.QuietShare, format.Plural(g.disturbed, "run"), len(g.runs), manifestName), "", width) + "\n")
	}
	if g.missing > 0 {
		b.WriteString(wrap(fmt.Sprintf("%s of the campaign %s not complete; slurmlab campaign resume makes them.",
			format.Plural(g.missing, "run"), map[bool]string{true: "is", false: "are"}[g.missing == 1]), "", width) + "\n")
	}
	if len(groups) == 0 {
		b.WriteString(wrap("No two runs of different policies have the same jobs, so that nothing is compared.", "", width))
	}
	return b.String()
}

// wolfText says how often policies that are compared with themselves are called different, nothing
// without such pairs.
func wolfText(groups []compare.Grouped) string {
	called, corrected, metrics := 0, 0, 0
	for _, of := range groups {
		if of.B != of.A+campaign.Again {
			continue
		}
		c, h, n := of.Called()
		called, corrected, metrics = called+c, corrected+h, metrics+n
	}
	if metrics == 0 {
		return ""
	}
	return fmt.Sprintf("Each policy is compared with itself: of %d metrics %d are called different at 5 %%, where %.1f are expected, and %d when all metrics of a comparison are counted (Holm).",
		metrics, called, float64(metrics)*0.05, corrected)
}

func metricsOf(runs []metric.Result) []metric.Metrics {
	all := make([]metric.Metrics, len(runs))
	for i, r := range runs {
		all[i] = *r.Metrics
	}
	return all
}

// gather reads the complete runs of a folder: those of its campaign, or all where it has
// no campaign file.
func gather(s *State, folder string) (gathered, error) {
	g := gathered{labels: map[string]string{}}
	var complete []string
	if _, err := os.Stat(filepath.Join(folder, inputsName, campaignName)); err == nil {
		st, openErr := openStudy(folder, fileFlags{})
		if openErr != nil {
			return g, openErr
		}
		configs, configErr := st.configs(s, campaignFlags{})
		if configErr != nil {
			return g, configErr
		}
		entries, lookErr := st.entries(s)
		if lookErr != nil {
			return g, lookErr
		}
		g.manifest = func() error { return st.writeManifest(configs) }
		for _, e := range entries {
			if e.state != lab.StateComplete {
				g.missing++
				continue
			}
			complete, g.labels[e.config.Dir] = append(complete, e.config.Dir), e.label
		}
		g.pairs, g.study = st.Pairs, &st
	} else {
		for _, path := range runsIn(folder) {
			record, readErr := readRecord(path)
			switch {
			case errors.Is(readErr, fs.ErrNotExist):
				// It was set aside, or killed before it had begun.
			case readErr != nil:
				return g, readErr
			case record.Status == trace.StatusComplete:
				complete, g.labels[path] = append(complete, path), record.Workload
			}
		}
	}
	if len(complete) == 0 {
		return g, usage(fmt.Errorf("report: %s has no complete run", folder))
	}
	var err error
	if g.runs, err = loadNamed(loadLean, complete...); err != nil {
		return g, err
	}
	for _, r := range g.runs {
		if !warnings.Quiet(r.Run) {
			g.disturbed++
		}
	}
	if len(g.pairs) == 0 {
		g.pairs = pairsOf(g.runs)
	}
	return g, nil
}

// loadLean is lab.Load without the jobs and cycles, of which a thousand runs have too
// many to be held at once.
func loadLean(dir trace.Dir) (metric.Result, error) {
	r, err := lab.Load(dir)
	r.Jobs, r.Cycles = nil, nil
	return r, err
}

// pairsOf compares each policy with backfill, or with the first by name.
func pairsOf(runs []metric.Result) [][2]string {
	var names []string
	for _, r := range runs {
		if !slices.Contains(names, r.Run.Policy) {
			names = append(names, r.Run.Policy)
		}
	}
	slices.Sort(names)
	first := names[0]
	if slices.Contains(names, policy.Backfill) {
		first = policy.Backfill
	}
	var pairs [][2]string
	for _, name := range names {
		if name != first {
			pairs = append(pairs, [2]string{first, name})
		}
	}
	return pairs
}
