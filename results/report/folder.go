package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Names of the files in a folder of runs that say what the runs show.
const (
	ManifestName = "manifest.csv"
	pageName     = "report.html"
)

// Folder are the complete runs of a folder, and what of them is compared.
type Folder struct {
	Path string
	Runs []metric.Result
	// Labels are the names of the runs' workloads in the campaign, by directory, archived or not.
	Labels map[string]string
	// Pairs are the policies that are compared, the second with the first.
	Pairs [][2]string
	// Sweeps are the settings that have several values.
	Sweeps []compare.Sweep
	// Asked are all runs of the campaign, none without a campaign file.
	Asked []Asked
	// Aside counts the directories of a run that were set aside, by the run's name.
	Aside map[string]int
	// Builds says which other versions of slurmlab made runs.
	Builds string
	// Aim says where the groups of a campaign that adds seeds stand, nil for others.
	Aim func([]compare.Grouped) []string
	// Disturbed counts the runs on whose core others were, Late those whose actions or ends of jobs came too late.
	// Coreless counts the runs without a core of their own, of which nobody knows how much others took.
	Disturbed, Late, Coreless int
}

// Asked is a run that is asked for, as far as it is there.
type Asked struct {
	Machine, Workload, Policy, Replica string
	// Events is the label of what happens to the machine. It is empty in a campaign, whose runs have the same events.
	Events  string
	Backend trace.Backend
	// Path of its directory.
	Path string
	// State is missing, running, broken or complete, Reason why it is broken, as far as is known.
	State, Reason string
	// Disturbed is the part of a complete run's real time that others took, LateSeconds by how many virtual seconds
	// something was off, both NaN where they are not known. Quiet says that both were little enough.
	Disturbed, LateSeconds float64
	Quiet                  bool
}

// Complete says that nothing is left to be made of the run.
func (a Asked) Complete() bool { return a.State == "complete" }

func (f Folder) label(r metric.Result) string { return f.Labels[trace.Unarchived(r.Path)] }

// Groups compares the policies of the pairs, setup by setup.
func (f Folder) Groups() ([]compare.Grouped, error) {
	return compare.Groups(f.Runs, f.Pairs, f.label)
}

// Study is what the runs of a folder show.
type Study struct {
	Folder
	Groups []compare.Grouped
	// All and Few compare the policies by all metrics and by those of tables for people.
	All, Few, PerRun table.Table
	// Settings are the pictures of the settings that have several values.
	settings    []settingPicture
	sensitivity []compare.Sensitivity
	pareto      paretoPicture
}

// NewStudy computes what the runs show, with pictures of the policies by the metrics x and y, and of their settings by
// measures.
func NewStudy(f Folder, x, y metric.Measure, measures []metric.Measure) (Study, error) {
	r := Study{Folder: f}
	var err error
	if r.Groups, err = f.Groups(); err != nil {
		return r, faults.Usage(err)
	}
	var errAll, errFew, errRuns error
	r.All, errAll = compare.GroupTable(r.Groups, false)
	r.Few, errFew = compare.GroupTable(r.Groups, true)
	r.PerRun, errRuns = table.Runs(metric.MetricsOf(r.Runs))
	r.sensitivity = f.sensitivities()
	r.settings = settingPictures(r.sensitivity, measures)
	r.pareto = f.front(x, y)
	return r, errors.Join(errAll, errFew, errRuns)
}

// HasSettings says whether settings have several values.
func (r Study) HasSettings() bool { return len(r.settings) > 0 }

// Lines say in a sentence each what the runs show.
func (r Study) Lines() []string { return slices.Concat(r.Findings(r.Groups), r.pareto.lines) }

// Write writes the files of the report into the folder and names them.
func (r Study) Write() ([]string, error) {
	files := []string{pageName, "comparison.csv", "runs.csv"}
	if err := errors.Join(writeTable(r.Path, NamedTable{Name: "comparison", Table: r.All}), writeTable(r.Path, NamedTable{Name: "runs", Table: r.PerRun})); err != nil {
		return nil, err
	}
	if r.pareto.draw != nil {
		files = append(files, paretoName)
		if err := trace.WriteAtomic(filepath.Join(r.Path, paretoName), r.pareto.draw); err != nil {
			return nil, err
		}
	}
	if len(r.settings) > 0 {
		files = append(files, sensitivityName+".csv")
		for _, p := range r.settings {
			files = append(files, p.file)
		}
		if err := writeSensitivity(r.Path, r.sensitivity, r.settings); err != nil {
			return nil, err
		}
	}
	return files, r.writePage()
}

// Findings say in a sentence each what the groups show, and what is missing.
func (f Folder) Findings(groups []compare.Grouped) []string {
	var lines []string
	for _, of := range groups {
		lines = append(lines, of.Finding())
	}
	if f.Aim != nil {
		lines = append(lines, f.Aim(groups)...)
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
	lines = append(lines, f.Remarks()...)
	switch {
	case len(f.Runs) == 0:
		lines = append(lines, "No run is complete, so that nothing is compared.")
	case len(groups) == 0:
		lines = append(lines, "No two runs with the same jobs differ in policy, machine or events, so that nothing is compared.")
	}
	return lines
}

// Remarks say in a sentence each what limits all that the folder shows: runs that were disturbed or late, that are of other
// builds, or missing.
func (f Folder) Remarks() []string {
	var lines []string
	if f.Disturbed > 0 {
		lines = append(lines, fmt.Sprintf("Other programs took %s in %s of %d; %s names them.",
			trace.QuietLimit(), text.Plural(f.Disturbed, "run"), len(f.Runs), ManifestName))
	}
	if f.Coreless > 0 {
		lines = append(lines, fmt.Sprintf("%s of %d had no core of their own: what others computed beside them counts as their own thinking, and nobody knows how much that was.",
			text.Plural(f.Coreless, "run"), len(f.Runs)))
	}
	if f.Late > 0 {
		lines = append(lines, fmt.Sprintf("Actions of slurmlab or ends of jobs were off by %s in %s of %d; %s names them.",
			trace.LateLimit(), text.Plural(f.Late, "run"), len(f.Runs), ManifestName))
	}
	if f.Builds != "" {
		lines = append(lines, f.Builds)
	}
	missing := 0
	for _, a := range f.Asked {
		if !a.Complete() {
			missing++
		}
	}
	if missing > 0 {
		lines = append(lines, fmt.Sprintf("%s of the study %s not complete; the command that began it makes them.",
			text.Plural(missing, "run"), map[bool]string{true: "is", false: "are"}[missing == 1]))
	}
	return lines
}

// falsePositiveText says how often policies that are compared with themselves are called different, nothing
// without such pairs.
func falsePositiveText(groups []compare.Grouped) string {
	called, corrected, metrics := 0, 0, 0
	for _, of := range groups {
		if of.B != of.A+trace.Again {
			continue
		}
		c, h, n := of.Called()
		called, corrected, metrics = called+c, corrected+h, metrics+n
	}
	if metrics == 0 {
		return ""
	}
	return fmt.Sprintf("Each policy is compared with itself: of %d metrics %d are called different at 5 %%, where %.1f are expected, and %d when all metrics of a family are counted (Holm).",
		metrics, called, float64(metrics)*0.05, corrected)
}

// Take takes the complete runs, of which there is one at least.
func (f *Folder) Take(runs []metric.Result) {
	f.Runs = runs
	for _, r := range f.Runs {
		if !r.Run.QuietCore() {
			f.Disturbed++
		}
		if r.Run.Clock == trace.ClockJump && r.Run.Core == nil {
			f.Coreless++
		}
		if r.Run.TooLate() != "" {
			f.Late++
		}
	}
	if len(f.Pairs) == 0 {
		f.Pairs = pairsOf(f.Runs)
	}
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
	if slices.Contains(names, trace.Backfill) {
		first = trace.Backfill
	}
	var pairs [][2]string
	for _, name := range names {
		if name != first {
			pairs = append(pairs, [2]string{first, name})
		}
	}
	return pairs
}
