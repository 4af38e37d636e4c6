package campaign

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Entries are the runs of a campaign, in their order.
type Entries []Entry

// Entry is a run of a campaign with what is known of it.
type Entry struct {
	config run.Config
	label  string
	// key and replica are the ones of its settings.
	key, replica string
	state        run.State
	// reason says why a run is broken.
	reason string
	// took is the real time of a complete run, 0 for others.
	took time.Duration
	// disturbed is the part of its real time that others took. late is by how many virtual seconds something was off.
	// Both are NaN where they are not known. quiet says that both were little enough. repeats counts the directories
	// of the run that were set aside.
	disturbed, late float64
	quiet           bool
	repeats         int
	// build is the version of slurmlab that made a complete run, where it is another one.
	build string
	// estimate is what the run takes, by recorded runs of its shape if there are any.
	estimate run.Estimate
	recorded bool
}

// asked is the run as a report has it.
func (e Entry) asked() report.Asked {
	return report.Asked{
		Machine: e.config.Machine.Name, Workload: e.label, Backend: run.Recorded(e.config.Backend), Policy: e.config.Policy.Name, Replica: e.replica,
		Path: e.config.Dir, State: string(e.state), Reason: e.reason, Disturbed: e.disturbed, LateSeconds: e.late, Quiet: e.quiet,
	}
}

// Entries looks into the folder of the campaign. Other settings in a run's place are an
// error, but for the version of slurmlab.
func (st *Study) Entries() (Entries, error) {
	configs, err := st.Configs("", 0)
	if err != nil {
		return nil, err
	}
	return st.look(configs, Elsewhere)
}

// Elsewhere is what to do where the folder of a campaign has runs with other settings.
const Elsewhere = "choose another folder with --out, or undo the change of the campaign file"

// look finds what there is of the runs, by whatever build of slurmlab.
func (st *Study) look(configs []run.Config, elsewhere string) (Entries, error) {
	e := Execution{AnyBuild: true, Elsewhere: elsewhere}
	found, err := e.Find(configs)
	if err != nil {
		return nil, err
	}
	return st.entries(configs, found)
}

// entries are the runs with what was found of each.
func (st *Study) entries(configs []run.Config, found []run.ExistingRun) (Entries, error) {
	configs = slices.Clone(configs)
	for i := range configs {
		configs[i].AnyBuild = true
	}
	if err := run.Learn(configs, found); err != nil {
		return nil, err
	}
	all := make(Entries, len(configs))
	shapes := make([]string, len(configs))
	took := map[string][]time.Duration{}
	aside := map[string]int{}
	for _, name := range run.Aside(st.Folder) {
		aside[name]++
	}
	var bad []error
	for i, c := range configs {
		settings, err := c.Settings()
		key, keyErr := settings.Key()
		shape, shapeErr := run.ShapeOf(settings)
		bad = append(bad, err, keyErr, shapeErr)
		all[i], shapes[i] = Entry{
			config: c, label: st.Runs[i].Label, key: key, replica: settings.Replica(), state: found[i].State, reason: found[i].Reason, estimate: c.Estimate(), disturbed: math.NaN(), late: math.NaN(), repeats: aside[filepath.Base(c.Dir)],
		}, shape
		if found[i].State != run.StateComplete {
			continue
		}
		all[i].took, all[i].disturbed, all[i].late, all[i].quiet = found[i].Took, found[i].Disturbed, found[i].Late, found[i].Quiet
		if found[i].Version != c.Version {
			all[i].build = found[i].Version
		}
		took[shape] = append(took[shape], all[i].took)
	}
	for i := range all {
		if of := took[shapes[i]]; len(of) > 0 {
			all[i].estimate.Real, all[i].recorded = mean(of), true
		}
	}
	return all, errors.Join(bad...)
}

func mean(of []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range of {
		sum += d
	}
	return sum / time.Duration(len(of))
}

// left is the real time that the runs take which are not complete, on one core.
func (all Entries) left() (left time.Duration) {
	for _, e := range all {
		if e.state != run.StateComplete {
			left += e.estimate.Real
		}
	}
	return left
}

// Summary says in a sentence or two what is there and what is left.
func (all Entries) Summary() string {
	most := slices.MaxFunc(all, func(a, b Entry) int { return int(a.estimate.Memory>>10) - int(b.estimate.Memory>>10) })
	text := fmt.Sprintf("%s: %s", text.Plural(len(all), "run"), all.counts())
	left := all.left()
	if left == 0 {
		return text + "."
	}
	text = fmt.Sprintf("%s; to be made: about %s of one core, %d MB of disk. A cluster takes about %d MB of memory at most.",
		text, progress.About(left), all.disk()>>20+1, most.estimate.Memory>>20)
	var missing []run.Config
	for _, e := range all {
		if e.state != run.StateComplete {
			missing = append(missing, e.config)
		}
	}
	if _, few := fitting(len(missing), missing); few != "" {
		text += " Here " + few + "."
	}
	if slices.ContainsFunc(all, func(e Entry) bool { return !e.recorded }) {
		text += " Seconds from a rule follow from jobs and nodes, within a factor of three."
	}
	return text
}

// disk is what the runs that are not complete leave on the disk, in bytes.
func (all Entries) disk() (left uint64) {
	for _, e := range all {
		if e.state != run.StateComplete {
			left += run.Disk(e.config)
		}
	}
	return left
}

// OtherBuilds says how many runs another version of slurmlab has made, nothing where none.
func (all Entries) OtherBuilds() string {
	var builds []string
	for _, e := range all {
		if e.build != "" {
			builds = append(builds, e.build)
		}
	}
	if len(builds) == 0 {
		return ""
	}
	return fmt.Sprintf("Another slurmlab (%s) made %s: report compares them with the others, run and resume add to them with --any-build.",
		namesOf(builds), text.Plural(len(builds), "complete run"))
}

// counts lists how many runs are in which state.
func (all Entries) counts() string {
	text := ""
	for _, state := range []run.State{run.StateComplete, run.StateRunning, run.StateBroken, run.StateMissing} {
		n := 0
		for _, e := range all {
			if e.state == state {
				n++
			}
		}
		if n > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", n, state)
		}
	}
	return text
}

// Table is the table of a campaign's runs.
func (all Entries) Table() (table.Table, error) {
	backends := slices.ContainsFunc(all, func(e Entry) bool { return e.config.Backend != all[0].config.Backend })
	frame, err := table.NewFrame(all,
		table.Word("machine", func(e Entry) string { return e.config.Machine.Name }),
		table.Word("workload", func(e Entry) string { return e.label }),
		table.Word("policy", func(e Entry) string { return e.config.Policy.Name }),
		table.Word("backend", func(e Entry) string { return string(e.config.Backend.Form) }),
		table.Word("slurm", func(e Entry) string { return e.config.Backend.Series }),
		table.Word("seed", func(e Entry) string { return strconv.FormatUint(e.config.Seed, 10) }),
		table.Word("window", func(e Entry) string {
			window, _ := e.config.Workload.Window()
			return strconv.Itoa(window)
		}),
		table.Number("jobs", func(e Entry) float64 { return float64(len(e.config.Jobs)) }),
		table.Number("estimated_s", func(e Entry) float64 { return e.estimate.Real.Round(100 * time.Millisecond).Seconds() }),
		table.Word("estimated_from", func(e Entry) string {
			if e.recorded {
				return "runs"
			}
			return "rule"
		}),
		table.Number("memory_mb", func(e Entry) float64 { return float64(e.estimate.Memory >> 20) }),
		table.Word("state", func(e Entry) string { return string(e.state) }),
		table.Number("took_s", func(e Entry) float64 {
			if e.took == 0 {
				return math.NaN()
			}
			return e.took.Round(100 * time.Millisecond).Seconds()
		}),
		table.Number("disturbed_percent", func(e Entry) float64 { return 100 * e.disturbed }),
		table.Number("set_aside", func(e Entry) float64 { return float64(e.repeats) }),
		table.Word("directory", func(e Entry) string { return filepath.Base(e.config.Dir) }),
		table.Word("key", func(e Entry) string { return e.key }),
		table.Number("late_s", func(e Entry) float64 { return e.late }),
	)
	if err != nil {
		return table.Table{}, err
	}
	ofBackends := table.Backend()
	if !backends {
		ofBackends.Title, ofBackends.Identity = "", false
	}
	return table.New(frame,
		table.Words("Machine", "machine").AsIdentity(), table.Words("Workload", "workload").AsIdentity(), table.Words("Policy", "policy").AsIdentity(),
		ofBackends, table.Column{Title: "Seed", Names: []string{"seed"}, Identity: true, Literal: true}, table.Column{Names: []string{"window"}, Literal: true},
		table.Numbers("Jobs", "jobs", 0).Ranked(1), table.Numbers("Real s", "estimated_s", 0), table.Words("From", "estimated_from").Ranked(2),
		table.Numbers("Memory MB", "memory_mb", 0).Ranked(1), table.Words("State", "state"), table.Column{Names: []string{"took_s"}},
		table.Column{Names: []string{"disturbed_percent"}}, table.Column{Names: []string{"set_aside"}},
		table.Words("Directory", "directory").Ranked(3), table.Column{Names: []string{"key"}}, table.Column{Names: []string{"late_s"}})
}

// PlanTable is the table of runs with what lies in their place.
func PlanTable(configs []run.Config, found []run.ExistingRun) (table.Table, error) {
	indices := make([]int, len(configs))
	for i := range indices {
		indices[i] = i
	}
	frame, err := table.NewFrame(indices,
		table.Word("machine", func(i int) string { return configs[i].Machine.Name }),
		table.Word("workload", func(i int) string { return configs[i].Workload.Name() }),
		table.Word("policy", func(i int) string { return configs[i].Policy.Name }),
		table.Word("seed", func(i int) string { return strconv.FormatUint(configs[i].Seed, 10) }),
		table.Number("jobs", func(i int) float64 { return float64(len(configs[i].Jobs)) }),
		table.Word("state", func(i int) string { return string(found[i].State) }),
		table.Word("directory", func(i int) string { return configs[i].Dir }))
	if err != nil {
		return table.Table{}, err
	}
	return table.New(frame,
		table.Words("Machine", "machine").AsIdentity(), table.Words("Workload", "workload").AsIdentity(),
		table.Words("Policy", "policy").AsIdentity(), table.Column{Title: "Seed", Names: []string{"seed"}, Identity: true, Literal: true},
		table.Numbers("Jobs", "jobs", 0).Ranked(1), table.Words("State", "state"), table.Words("Directory", "directory").Ranked(2))
}

// WriteManifest lists the runs of the campaign, what they were asked to do and how they
// stand.
func (st *Study) WriteManifest(entries Entries) error {
	t, err := entries.Table()
	if err != nil {
		return err
	}
	return trace.WriteAtomic(filepath.Join(st.Folder, report.ManifestName), t.WriteCSV)
}
