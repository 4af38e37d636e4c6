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

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
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
			x, y, errPareto := twoMetrics(pareto)
			measures, errSensitivity := someMetrics(sensitivity)
			if err := errors.Join(f.check(), errPareto, errSensitivity); err != nil {
				return usage(err)
			}
			r, err := newStudyReport(s, args[0], x, y, measures)
			if err != nil {
				return err
			}
			if sensitivity != usualSensitivity && len(r.settings) == 0 {
				return usage(fmt.Errorf("sensitivity: has no effect, as %s has no runs under several values of a setting", args[0]))
			}
			return r.tell(s, f)
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

// usualPareto are the metrics of pareto.svg.
const usualPareto = "waiting,utilisation"

// gathered are the runs of a folder.
type gathered struct {
	runs []metric.Result
	// labels are the names of the runs' workloads in the campaign, by directory, archived or not.
	labels map[string]string
	pairs  [][2]string
	// manifest lists the runs of a campaign anew, nil for other folders.
	manifest func() error
	// disturbed counts the runs on whose core others were, late those whose actions or ends of jobs came too late.
	disturbed, late int
	// entries are all runs of the campaign, nil without a campaign file.
	entries []entry
	// missing counts those that are not complete.
	missing int
	// builds says which other versions of slurmlab made runs.
	builds string
	// study is nil without a campaign file.
	study *study
	// sweeps are the settings that have several values.
	sweeps []compare.Sweep
}

// groups compare the policies of the pairs, place by place.
func (g gathered) groups() ([]compare.Grouped, error) {
	return compare.Groups(g.runs, g.pairs, func(r metric.Result) string { return g.labels[trace.Unarchived(r.Path)] })
}

// studyReport is what the runs of a folder show.
type studyReport struct {
	gathered
	folder string
	groups []compare.Grouped
	// all and few compare the policies by all metrics and by those of tables for people.
	all, few, perRun table.Table
	sensitivity      []compare.Sensitivity
	settings         []settingPicture
	pareto           paretoPicture
}

func newStudyReport(s *State, folder string, x, y metric.Measure, measures []metric.Measure) (studyReport, error) {
	g, err := gather(s, folder)
	if err != nil {
		return studyReport{}, err
	}
	return g.report(folder, x, y, measures)
}

// report computes what the runs show.
func (g gathered) report(folder string, x, y metric.Measure, measures []metric.Measure) (studyReport, error) {
	r := studyReport{gathered: g, folder: folder}
	var err error
	if r.groups, err = r.gathered.groups(); err != nil {
		return r, usage(err)
	}
	var errAll, errFew, errRuns error
	r.all, errAll = compare.GroupTable(r.groups, false)
	r.few, errFew = compare.GroupTable(r.groups, true)
	r.perRun, errRuns = table.Runs(metricsOf(r.runs))
	r.sensitivity = r.sensitivities()
	r.settings = settingPictures(r.sensitivity, measures)
	r.pareto = r.front(x, y)
	return r, errors.Join(errAll, errFew, errRuns)
}

// tell writes the files and prints what they show.
func (r studyReport) tell(s *State, f form) error {
	files, err := r.write()
	if err != nil {
		return err
	}
	if !f.forPeople() {
		return f.print(s, r.all, "")
	}
	text := ""
	for _, line := range slices.Concat(r.findings(r.groups), r.pareto.lines) {
		text += wrap(line, "", s.width()) + "\n"
	}
	if _, err = io.WriteString(s.Stdout, text); err != nil || len(r.groups) == 0 {
		return err
	}
	if err = f.print(s, r.few, "--wide"); err != nil {
		return err
	}
	return s.conclusion(f, fmt.Sprintf("%s (%s)", r.folder, strings.Join(files, ", ")))
}

// write writes the files of the report into the folder and names them.
func (r studyReport) write() ([]string, error) {
	if r.manifest != nil {
		if err := r.manifest(); err != nil {
			return nil, err
		}
	}
	for _, t := range []comparisonTable{{"comparison", "", r.all}, {"runs", "", r.perRun}} {
		if err := t.writeFiles(r.folder); err != nil {
			return nil, err
		}
	}
	files := []string{pageName, "comparison.csv", "runs.csv"}
	if r.pareto.draw != nil {
		files = append(files, paretoName)
		if err := writeFile(filepath.Join(r.folder, paretoName), r.pareto.draw); err != nil {
			return nil, err
		}
	}
	if len(r.settings) > 0 {
		files = append(files, sensitivityName+".csv")
		for _, p := range r.settings {
			files = append(files, p.file)
		}
		if err := writeSensitivity(r.folder, r.sensitivity, r.settings); err != nil {
			return nil, err
		}
	}
	return files, r.writePage()
}

// findings say in a sentence each what the groups show, and what is missing.
func (g gathered) findings(groups []compare.Grouped) []string {
	var lines []string
	for _, of := range groups {
		lines = append(lines, of.Finding())
	}
	if g.study != nil && g.study.Until != nil {
		lines = append(lines, standings(*g.study.Until, groups)...)
		lines = append(lines, g.study.sequential())
	}
	if text := falsePositiveText(groups); text != "" {
		lines = append(lines, text)
	}
	alone := 0
	for _, of := range groups {
		alone += of.Alone
	}
	if alone > 0 {
		lines = append(lines, fmt.Sprintf("Left out: %s without the other of their pair.", text.Plural(alone, "run")))
	}
	if g.disturbed > 0 {
		lines = append(lines, fmt.Sprintf("Other programs took %s in %s of %d; %s names them.",
			trace.QuietLimit(), text.Plural(g.disturbed, "run"), len(g.runs), manifestName))
	}
	if g.late > 0 {
		lines = append(lines, fmt.Sprintf("Actions of slurmlab or ends of jobs were off by %s in %s of %d; %s names them.",
			trace.LateLimit(), text.Plural(g.late, "run"), len(g.runs), manifestName))
	}
	if g.builds != "" {
		lines = append(lines, g.builds)
	}
	if g.missing > 0 {
		lines = append(lines, fmt.Sprintf("%s of the campaign %s not complete; slurmlab campaign resume makes them.",
			text.Plural(g.missing, "run"), map[bool]string{true: "is", false: "are"}[g.missing == 1]))
	}
	if len(groups) == 0 {
		lines = append(lines, "No two runs of different policies have the same jobs, so that nothing is compared.")
	}
	return lines
}

// falsePositiveText says how often policies that are compared with themselves are called different, nothing
// without such pairs.
func falsePositiveText(groups []compare.Grouped) string {
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
	g := gathered{labels: map[string]string{}}
	var complete []string
	if _, err := os.Stat(filepath.Join(folder, inputsName, campaignName)); err == nil {
		st, openErr := openStudy(folder, fileFlags{})
		if openErr != nil {
			return g, nil, openErr
		}
		configs, configErr := st.configs(s, campaignFlags{})
		if configErr != nil {
			return g, nil, configErr
		}
		entries, lookErr := st.entries(s)
		if lookErr != nil {
			return g, nil, lookErr
		}
		g.entries = entries
		g.manifest, g.builds = func() error { return st.writeManifest(configs) }, otherBuilds(entries)
		for _, e := range entries {
			if e.state != run.StateComplete {
				g.missing++
				continue
			}
			complete, g.labels[e.config.Dir] = append(complete, e.config.Dir), e.label
		}
		g.pairs, g.study, g.sweeps = st.Pairs, &st, st.Sweeps
	} else {
		for _, path := range campaign.RunsIn(folder) {
			record, readErr := readRecord(path)
			switch {
			case errors.Is(readErr, fs.ErrNotExist):
				// It was set aside, or killed before it had begun.
			case readErr != nil:
				return g, nil, readErr
			case record.Status == trace.StatusComplete:
				complete, g.labels[path] = append(complete, path), record.Workload
			}
		}
	}
	return g, complete, nil
}

// read reads the complete runs.
func (g *gathered) read(complete []string) error {
	runs, err := loadNamed(loadLean, complete...)
	if err != nil {
		return err
	}
	g.take(runs)
	return nil
}

// take takes the runs, of which there is one at least.
func (g *gathered) take(runs []metric.Result) {
	g.runs = runs
	for _, r := range g.runs {
		if !r.Run.QuietCore() {
			g.disturbed++
		}
		if r.Run.TooLate() != "" {
			g.late++
		}
	}
	if len(g.pairs) == 0 {
		g.pairs = pairsOf(g.runs)
	}
}

// loadLean is run.Load without the jobs and cycles, of which a thousand runs have too
// many to be held at once.
func loadLean(dir trace.Dir) (metric.Result, error) {
	r, err := run.Load(dir)
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
