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

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// rerun holds the flags of "paper" that make runs.
type rerun struct {
	experiment  experiment
	replication replication
	// strongest asks for the runs of policy backfill beside those of the rows.
	strongest bool
	dryRun    bool
}

func (r *rerun) flags(cmd *cobra.Command, s *State, p compare.Paper) {
	r.experiment.executionFlags(cmd, s)
	r.experiment.kind.flags(cmd)
	r.experiment.GoesOn, r.experiment.Elsewhere = true, "choose another directory with --out, or name the runs instead of --replicas to see their figures"
	r.replication.flags(cmd, 0)
	r.experiment.anyBuildFlag(cmd)
	cmd.Flags().Lookup("replicas").Usage += fmt.Sprintf("; the paper has %d", p.Replicas)
	under(cmd, headRepeat, func(f *pflag.FlagSet) {
		f.BoolVar(&r.dryRun, "dry-run", false, "list the runs and which of them are there, run nothing")
	})
	under(cmd, headRepeat, func(f *pflag.FlagSet) {
		f.BoolVar(&r.strongest, "strongest", false, "run policy backfill, the strongest set, too: its columns stand beside")
	})
	under(cmd, headResults, func(f *pflag.FlagSet) {
		f.StringVar(&r.experiment.Out, "out", filepath.Join("runs", "paper-"+p.Name),
			"directory of the runs and of the table; what is complete there is used")
	})
	completeFlag(cmd, "out", ofDirectories)
}

// check lists the faults of the flags. Without --replicas nothing runs, and a flag
// that only runs take, such as --core, is a fault and not ignored.
func (r *rerun) check(flags *pflag.FlagSet, args []string) error {
	var faults []error
	if flags.Changed("replicas") {
		_, clockErr := r.experiment.clock.settings()
		faults = append(faults, r.replication.check(r.experiment.Core), clockErr, campaign.CheckCore(r.experiment.Core), r.experiment.Runtime.Check(int64(r.experiment.memory)), r.experiment.kind.check())
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
func (r *rerun) carryOut(ctx context.Context, s *State, t publishedTable, rows []compare.PublishedRow) error {
	configs, err := r.configs(s, compare.PlanPublished(rows, r.experiment.seed, r.replication.replicas, r.strongest))
	if err != nil {
		return usage(err)
	}
	if r.dryRun {
		return printPlan(s, &r.experiment.execution, configs, t.form)
	}
	if err = r.experiment.runMissing(ctx, s, r.replication.parallel, configs); err != nil {
		return err
	}
	runs, err := metric.LoadAll(r.experiment.Load, dirs(configs)...)
	if err != nil {
		return err
	}
	b, err := t.print(s, rows, runs)
	if err != nil {
		return err
	}
	name := filepath.Join(r.experiment.Out, fmt.Sprintf("table-%d", t.number))
	return errors.Join(
		trace.WriteAtomic(name+".csv", func(w io.Writer) error { return b.write(w, 0, form{format: csvFormat}) }),
		trace.WriteAtomic(name+".md", func(w io.Writer) error { return b.write(w, 0, form{format: markdownFormat}) }),
	)
}

// configs are the runs of the plan. The image is not known yet.
func (r *rerun) configs(s *State, planned []compare.PlannedRun) ([]run.Config, error) {
	var configs []run.Config
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
		name := p.Name(backend.Label(chosen.Name, e.kind.slurm))
		c, err := p.Config(e.kind.under(chosen), filepath.Join(e.Out, name), e.common(s, p))
		if err != nil {
			return nil, err
		}
		configs = append(configs, c)
	}
	return configs, nil
}

// printPlan lists the runs with what lies in their place.
func printPlan(s *State, e *execution, configs []run.Config, f form) error {
	found, err := e.Find(configs)
	if err != nil {
		return err
	}
	t, err := planTable(configs, found)
	if err != nil {
		return err
	}
	todo := 0
	for _, f := range found {
		if campaign.Left(f) {
			todo++
		}
	}
	if err = f.write(s.Stdout, s.screen(), t, "--wide, --format csv or json"); err != nil || !f.forPeople() {
		return err
	}
	text := fmt.Sprintf("%d runs, %d left", len(configs), todo)
	if builds := campaign.UsedBuilds(found, configs); builds != "" {
		text += "; " + builds
	}
	_, err = fmt.Fprintf(s.Stdout, "\n%s", wrap(text, "", s.width()))
	return err
}

func planTable(configs []run.Config, found []run.ExistingRun) (table.Table, error) {
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
