package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/policy"
	"github.com/slurmlab/slurmlab/results/paper"
	"github.com/slurmlab/slurmlab/results/table"
)

// rerun holds the flags of "paper" that make runs.
type rerun struct {
	experiment  experiment
	replication replication
	dryRun      bool
}

func (r *rerun) flags(cmd *cobra.Command, s *State, p paper.Paper) {
	r.experiment.circumstances(cmd, s)
	r.experiment.goesOn = true
	r.replication.flags(cmd, 0)
	under(cmd, headRepeat, func(f *pflag.FlagSet) {
		f.BoolVar(&r.dryRun, "dry-run", false, "list the runs and which of them are there, run nothing")
	})
	under(cmd, headResults, func(f *pflag.FlagSet) {
		f.StringVar(&r.experiment.out, "out", filepath.Join("runs", "paper-"+p.Name),
			"directory of the runs and of the table; what is complete there is used")
	})
	complete(cmd, "out", ofDirectories)
}

// check lists the faults of the flags. Without --replicas nothing runs, and a flag
// that only runs take, such as --core, is a fault and not ignored.
func (r *rerun) check(flags *pflag.FlagSet, args []string) error {
	var faults []error
	if flags.Changed("replicas") {
		_, clockErr := r.experiment.clock.settings()
		faults = append(faults, r.replication.check(r.experiment.core), clockErr, checkCore(r.experiment.core), r.experiment.kind.check())
		if len(args) > 0 {
			faults = append(faults, fmt.Errorf("directories and replicas exclude each other: got %s", strings.Join(args, ", ")))
		}
		return errors.Join(faults...)
	}
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"format", "wide", "table", "rows"}, f.Name) {
			faults = append(faults, fmt.Errorf("%s: nothing runs without replicas", f.Name))
		}
	})
	return errors.Join(faults...)
}

// carryOut makes those runs of the rows that are not there yet, then the table of
// all of them.
func (r *rerun) carryOut(ctx context.Context, s *State, t publishedTable, rows []paper.Row) error {
	configs, err := r.configs(s, paper.Plan(rows, r.experiment.seed, r.replication.replicas))
	if err != nil {
		return usage(err)
	}
	if r.dryRun {
		return printPlan(s, configs, t.form)
	}
	if err = r.complete(ctx, s, configs); err != nil {
		return err
	}
	runs, err := load(lab.Load, dirs(configs)...)
	if err != nil {
		return err
	}
	b, err := t.print(s, rows, runs)
	if err != nil {
		return err
	}
	name := filepath.Join(r.experiment.out, fmt.Sprintf("table-%d", t.number))
	return errors.Join(
		writeFile(name+".csv", func(w io.Writer) error { return b.write(w, 0, form{format: csvFormat}) }),
		writeFile(name+".md", func(w io.Writer) error { return b.write(w, 0, form{format: markdownFormat}) }),
	)
}

// configs are the runs of the plan. The image is not known yet.
func (r *rerun) configs(s *State, planned []paper.Planned) ([]lab.Config, error) {
	var configs []lab.Config
	for _, run := range planned {
		e := r.experiment
		e.machine, e.workload, e.seed = run.Machine, run.Workload, run.Seed
		p, err := e.load()
		if err != nil {
			return nil, err
		}
		chosen, err := policy.Find(run.Policy)
		if err != nil {
			return nil, err
		}
		c, err := e.config(s, p, chosen, run.Seed, filepath.Join(e.out, runName(p, chosen.Name, run.Seed)))
		if err != nil {
			return nil, err
		}
		configs = append(configs, c)
	}
	return configs, nil
}

// complete makes the runs that are not there. Broken runs are moved aside.
func (r *rerun) complete(ctx context.Context, s *State, configs []lab.Config) error {
	if states, err := find(configs); err != nil || !slices.ContainsFunc(states, left) {
		return err
	}
	image, err := r.experiment.findImage(ctx, s)
	if err != nil {
		return err
	}
	for i := range configs {
		configs[i].ImageID, configs[i].Packages = image.ID, image.Packages
	}
	states, err := find(configs)
	if err != nil {
		return err
	}
	var there, todo, broken []lab.Config
	for i, c := range configs {
		switch states[i] {
		case lab.StateComplete:
			there = append(there, c)
		case lab.StateRunning:
			return fmt.Errorf("run %s: another slurmlab carries it out", c.Dir)
		case lab.StateBroken:
			broken = append(broken, c)
			todo = append(todo, c)
		default:
			todo = append(todo, c)
		}
	}
	// A run that cannot be read is reported before hours are spent on the others.
	if _, err := load(lab.Load, dirs(there)...); err != nil {
		return err
	}
	for _, c := range broken {
		to, err := lab.SetAside(c.Dir)
		if err != nil {
			return err
		}
		r.tell(s, "%s is broken and set aside: %s\n", c.Dir, to)
	}
	r.tell(s, "%d of %d runs are there, %d left\n", len(there), len(configs), len(todo))
	if err := r.experiment.runAll(ctx, s, r.replication.parallel, todo); err != nil {
		return fmt.Errorf("%w\n  complete runs stay in %s; the same command goes on with the others", err, r.experiment.out)
	}
	return nil
}

func (r *rerun) tell(s *State, format string, args ...any) {
	if !r.experiment.quiet {
		_, _ = fmt.Fprintf(s.Stderr, format, args...)
	}
}

// left says whether a run is still to be made.
func left(state lab.State) bool { return state != lab.StateComplete }

// find says what lies in the directory of each run. When several runs there have
// other settings than asked for, the error names those of the first one only,
// because the others mostly differ in the same.
func find(configs []lab.Config) ([]lab.State, error) {
	states := make([]lab.State, len(configs))
	var faults, others []error
	for i, c := range configs {
		var err error
		states[i], err = c.Find()
		switch {
		case errors.Is(err, lab.ErrOther):
			others = append(others, err)
		case err != nil:
			faults = append(faults, err)
		}
	}
	if n := len(others); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf("; %d more runs have others too", n-1)
		}
		faults = append(faults, fmt.Errorf("%w%s\n  choose another directory with --out, or name the runs instead of --replicas to see their figures", others[0], more))
	}
	return states, usage(errors.Join(faults...))
}

// printPlan lists the runs with what lies in their place.
func printPlan(s *State, configs []lab.Config, f form) error {
	states, err := find(configs)
	if err != nil {
		return err
	}
	t, err := planTable(configs, states)
	if err != nil {
		return err
	}
	todo := 0
	for _, state := range states {
		if left(state) {
			todo++
		}
	}
	if err = f.write(s.Stdout, s.screen(), t, "--wide, --format csv or json"); err != nil || !f.forPeople() {
		return err
	}
	_, err = fmt.Fprintf(s.Stdout, "\n%d runs, %d left\n", len(configs), todo)
	return err
}

func planTable(configs []lab.Config, states []lab.State) (table.Table, error) {
	places := make([]int, len(configs))
	for i := range places {
		places[i] = i
	}
	frame, err := table.NewFrame(places,
		table.Word("machine", func(i int) string { return configs[i].Machine.Name }),
		table.Word("workload", func(i int) string { return configs[i].Workload.Name() }),
		table.Word("policy", func(i int) string { return configs[i].Policy.Name }),
		table.Word("seed", func(i int) string { return strconv.FormatUint(configs[i].Seed, 10) }),
		table.Number("jobs", func(i int) float64 { return float64(len(configs[i].Jobs)) }),
		table.Word("state", func(i int) string { return string(states[i]) }),
		table.Word("directory", func(i int) string { return configs[i].Dir }))
	if err != nil {
		return table.Table{}, err
	}
	return table.New(frame,
		table.Words("Machine", "machine").AsIdentity(), table.Words("Workload", "workload").AsIdentity(),
		table.Words("Policy", "policy").AsIdentity(), table.Column{Title: "Seed", Names: []string{"seed"}, Identity: true, Literal: true},
		table.Numbers("Jobs", "jobs", 0).Ranked(1), table.Words("State", "state"), table.Words("Directory", "directory").Ranked(2))
}
