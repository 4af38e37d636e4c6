package cli

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

func campaignPlanCommand(s *State) *cobra.Command {
	var f form
	var file fileFlags
	cmd := &cobra.Command{
		Use:   "plan FILE|DIR",
		Short: "List the runs of a campaign, what they take, and which are there",
		Long: `Lists each run of a campaign with the real seconds and the memory that it takes
and with what lies in its place. The seconds are the mean of the complete runs
in the folder that differ in the seed alone; without such runs they follow from
the numbers of jobs and nodes, and are right within a factor of two or three.
The memory is the most that such runs took, or follows from a rule: 320 MB for
the daemons, 128 KiB a job, 64 KiB a node, or 16 MiB where each has a slurmd;
for an auction 32 MB and 48 KiB a node more, for other programs 512 MB. Nothing
is made.`,
		Example:           "  slurmlab campaign plan study.yaml\n  slurmlab campaign plan study --format csv",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofFiles(".yaml", ".yml")).first().cobra,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return usage(err)
			}
			st, err := openStudy(args[0], file)
			if err != nil {
				return err
			}
			entries, err := st.entries(s)
			if err != nil {
				return err
			}
			t, err := planOf(entries)
			if err != nil {
				return err
			}
			if err = f.print(s, t, "--wide, --format csv or json"); err != nil || !f.forPeople() {
				return err
			}
			_, err = fmt.Fprintf(s.Stdout, "\n%s", wrap(summary(entries), "", s.width())+wrap(otherBuilds(entries), "", s.width())+wrap(st.aim(), "", s.width()))
			return err
		},
	}
	file.flags(cmd)
	f.flags(cmd)
	return cmd
}

// entry is a run of a campaign with what is known of it.
type entry struct {
	config run.Config
	label  string
	key    string
	state  run.State
	// reason says why a run is broken.
	reason string
	// took is the real time of a complete run, 0 for others.
	took time.Duration
	// disturbed is the part of its real time that others took, late by how many virtual seconds something was off, both NaN where
	// they are not known; quiet says that both were little enough.
	// repeats counts the directories of the run that were set aside.
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
func (e entry) asked() report.Asked {
	replica := trace.Settings{Seed: e.config.Seed}
	replica.Window, replica.Windows = e.config.Workload.Window()
	return report.Asked{
		Machine: e.config.Machine.Name, Workload: e.label, Slurm: e.config.Slurm, Policy: e.config.Policy.Name, Replica: replica.Replica(),
		Path: e.config.Dir, State: string(e.state), Reason: e.reason, Disturbed: e.disturbed, LateSeconds: e.late, Quiet: e.quiet,
	}
}

// entries looks into the folder of the campaign. Other settings in a run's place are an
// error, but for the version of slurmlab.
func (st *study) entries(s *State) ([]entry, error) {
	configs, err := st.configs(s, campaignFlags{})
	if err != nil {
		return nil, err
	}
	return st.look(configs, campaign.Execution{Elsewhere: "choose another folder with --out, or undo the change of the campaign file"})
}

func (st *study) look(configs []run.Config, e campaign.Execution) ([]entry, error) {
	configs = slices.Clone(configs)
	for i := range configs {
		configs[i].AnyBuild = true
	}
	found, err := e.Find(configs)
	if err != nil {
		return nil, err
	}
	if err = run.Learn(configs, found); err != nil {
		return nil, err
	}
	all := make([]entry, len(configs))
	shapes := make([]string, len(configs))
	took := map[string][]time.Duration{}
	aside := map[string]int{}
	for _, name := range run.Aside(st.folder) {
		aside[name]++
	}
	var faults []error
	for i, c := range configs {
		key, keyErr := c.Key()
		shape, shapeErr := c.Shape()
		faults = append(faults, keyErr, shapeErr)
		all[i], shapes[i] = entry{
			config: c, label: st.Runs[i].Label, key: key, state: found[i].State, reason: found[i].Reason, estimate: c.Estimate(), disturbed: math.NaN(), late: math.NaN(), repeats: aside[filepath.Base(c.Dir)],
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
	return all, errors.Join(faults...)
}

func readRecord(path string) (trace.Run, error) {
	dir, err := trace.Open(path)
	if err != nil {
		return trace.Run{}, err
	}
	return dir.ReadRun()
}

func mean(of []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range of {
		sum += d
	}
	return sum / time.Duration(len(of))
}

// left is the real time that the runs take which are not complete, on one core.
func timeLeft(entries []entry) (left time.Duration) {
	for _, e := range entries {
		if e.state != run.StateComplete {
			left += e.estimate.Real
		}
	}
	return left
}

// summary says in a sentence or two what is there and what is left.
func summary(entries []entry) string {
	most := slices.MaxFunc(entries, func(a, b entry) int { return int(a.estimate.Memory>>10) - int(b.estimate.Memory>>10) })
	text := fmt.Sprintf("%s: %s", text.Plural(len(entries), "run"), counts(entries))
	left := timeLeft(entries)
	if left == 0 {
		return text + "."
	}
	text = fmt.Sprintf("%s; to be made: about %s of one core, %d MB of disk. A cluster takes about %d MB of memory at most.",
		text, progress.About(left), diskLeft(entries)>>20+1, most.estimate.Memory>>20)
	var missing []run.Config
	for _, e := range entries {
		if e.state != run.StateComplete {
			missing = append(missing, e.config)
		}
	}
	if _, few := campaign.Fitting(len(missing), missing); few != "" {
		text += " Here " + few + "."
	}
	return text
}

// diskLeft is what the runs that are not complete leave on the disk, in bytes.
func diskLeft(entries []entry) (left uint64) {
	for _, e := range entries {
		if e.state != run.StateComplete {
			left += run.Disk(e.config)
		}
	}
	return left
}

// otherBuilds says how many runs another version of slurmlab has made, nothing where none.
func otherBuilds(entries []entry) string {
	var builds []string
	for _, e := range entries {
		if e.build != "" {
			builds = append(builds, e.build)
		}
	}
	if len(builds) == 0 {
		return ""
	}
	return fmt.Sprintf("Another slurmlab (%s) made %s: report compares them with the others, run and resume add to them with --any-build.",
		campaign.NamesOf(builds), text.Plural(len(builds), "complete run"))
}

// counts lists how many runs are in which state.
func counts(entries []entry) string {
	text := ""
	for _, state := range []run.State{run.StateComplete, run.StateRunning, run.StateBroken, run.StateMissing} {
		n := 0
		for _, e := range entries {
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

// planOf is the table of a campaign's runs.
func planOf(entries []entry) (table.Table, error) {
	kinds := slices.ContainsFunc(entries, func(e entry) bool { return e.config.Slurm != entries[0].config.Slurm })
	frame, err := table.NewFrame(entries,
		table.Word("machine", func(e entry) string { return e.config.Machine.Name }),
		table.Word("workload", func(e entry) string { return e.label }),
		table.Word("policy", func(e entry) string { return e.config.Policy.Name }),
		table.Word("slurm", func(e entry) string { return e.config.Slurm }),
		table.Word("seed", func(e entry) string { return strconv.FormatUint(e.config.Seed, 10) }),
		table.Word("window", func(e entry) string {
			window, _ := e.config.Workload.Window()
			return strconv.Itoa(window)
		}),
		table.Number("jobs", func(e entry) float64 { return float64(len(e.config.Jobs)) }),
		table.Number("estimated_s", func(e entry) float64 { return e.estimate.Real.Round(100 * time.Millisecond).Seconds() }),
		table.Word("estimated_from", func(e entry) string {
			if e.recorded {
				return "runs"
			}
			return "rule"
		}),
		table.Number("memory_mb", func(e entry) float64 { return float64(e.estimate.Memory >> 20) }),
		table.Word("state", func(e entry) string { return string(e.state) }),
		table.Number("took_s", func(e entry) float64 {
			if e.took == 0 {
				return math.NaN()
			}
			return e.took.Round(100 * time.Millisecond).Seconds()
		}),
		table.Number("disturbed_percent", func(e entry) float64 { return 100 * e.disturbed }),
		table.Number("set_aside", func(e entry) float64 { return float64(e.repeats) }),
		table.Word("directory", func(e entry) string { return filepath.Base(e.config.Dir) }),
		table.Word("key", func(e entry) string { return e.key }),
		table.Number("late_s", func(e entry) float64 { return e.late }),
	)
	if err != nil {
		return table.Table{}, err
	}
	slurm := table.Column{Names: []string{"slurm"}}
	if kinds {
		slurm.Title, slurm.Identity = "Slurm", true
	}
	return table.New(frame,
		table.Words("Machine", "machine").AsIdentity(), table.Words("Workload", "workload").AsIdentity(), table.Words("Policy", "policy").AsIdentity(),
		slurm, table.Column{Title: "Seed", Names: []string{"seed"}, Identity: true, Literal: true}, table.Column{Names: []string{"window"}, Literal: true},
		table.Numbers("Jobs", "jobs", 0).Ranked(1), table.Numbers("Real s", "estimated_s", 0), table.Words("From", "estimated_from").Ranked(2),
		table.Numbers("Memory MB", "memory_mb", 0).Ranked(1), table.Words("State", "state"), table.Column{Names: []string{"took_s"}},
		table.Column{Names: []string{"disturbed_percent"}}, table.Column{Names: []string{"set_aside"}},
		table.Words("Directory", "directory").Ranked(3), table.Column{Names: []string{"key"}}, table.Column{Names: []string{"late_s"}})
}

// writeManifest lists the runs of the campaign, what they were asked to do and how they
// stand.
func (st *study) writeManifest(entries []entry) error {
	t, err := planOf(entries)
	if err != nil {
		return err
	}
	return trace.WriteAtomic(filepath.Join(st.folder, report.ManifestName), t.WriteCSV)
}
