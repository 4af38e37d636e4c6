package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/paper"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// rerun holds the flags of "paper" that make runs.
type rerun struct {
	experiment  experiment
	replication replication
	// strongest asks for the runs of policy backfill beside the runs of the rows.
	strongest bool
	dryRun    bool
}

func (r *rerun) flags(cmd *cobra.Command, s *State, p paper.Paper) {
	r.experiment.executionFlags(cmd, s)
	r.experiment.backendFlags(cmd)
	r.experiment.GoesOn, r.experiment.Elsewhere = true, "choose another directory with --out, or name the runs instead of --replicas to see their figures"
	r.replication.flags(cmd, 0)
	r.experiment.anyBuildFlag(cmd)
	cmd.Flags().Lookup("replicas").Usage += fmt.Sprintf("; the paper has %d", p.Replicas)
	declare(cmd, headRepeat, flag("dry-run", &r.dryRun, false, "list the runs and which of them exist, run nothing").usual())
	declare(cmd, headRepeat, flag("strongest", &r.strongest, false, "also run policy backfill, the tuned backfill, for columns beside the others"))
	declare(cmd, headResults, flag("out", &r.experiment.Out, filepath.Join("runs", "paper-"+p.Name), "directory of the runs and of the table; what is complete there is used").completes(ofDirectories).usual())
}

// check lists the faults of the flags. Without --replicas nothing runs, and a flag
// that only runs take, such as --core, is a fault and not ignored.
func (r *rerun) check(flags *pflag.FlagSet, args []string) error {
	var faults []error
	if flags.Changed("replicas") {
		_, clockErr := r.experiment.clock.settings()
		faults = append(faults, r.replication.check(r.experiment.Core), clockErr, campaign.CheckCore(r.experiment.Core), r.experiment.Engine.Check(r.experiment.config.Memory), r.experiment.chooseBackends(workloads.Machine{}))
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
	r.experiment.goOn()
	configs, err := r.configs(paper.Plan(rows, r.experiment.config.Seed, r.replication.replicas, r.strongest))
	if err != nil {
		return usage(err)
	}
	r.experiment.sayBackends(s)
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
		trace.WriteAtomic(name+".csv", func(w io.Writer) error { return b.write(w, 0, form{table.Form{Format: table.CSVFormat}}) }),
		trace.WriteAtomic(name+".md", func(w io.Writer) error { return b.write(w, 0, form{table.Form{Format: table.MarkdownFormat}}) }),
	)
}

// configs are the runs of the plan. The image is not known yet.
func (r *rerun) configs(planned []paper.PlannedRun) ([]run.Config, error) {
	var configs []run.Config
	for _, run := range planned {
		e := r.experiment
		e.machine, e.workload, e.config.Seed = run.Machine, run.Workload, run.Seed
		p, err := e.load()
		if err != nil {
			return nil, err
		}
		chosen, err := policy.Find(run.Policy)
		if err != nil {
			return nil, err
		}
		side := e.backends[0].under(chosen)
		c, err := p.Config(side, filepath.Join(e.Out, p.DirName(e.Out, side)), e.config)
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
	t, err := campaign.PlanTable(configs, found)
	if err != nil {
		return err
	}
	todo := 0
	for _, f := range found {
		if campaign.Left(f) {
			todo++
		}
	}
	if err = f.Write(s.Stdout, s.screen(), t, "--wide, --format csv or json"); err != nil || !f.ForPeople() {
		return err
	}
	counted := fmt.Sprintf("%d runs, %d left", len(configs), todo)
	if builds := campaign.UsedBuilds(found, configs); builds != "" {
		counted += "; " + builds
	}
	_, err = fmt.Fprintf(s.Stdout, "\n%s", text.Wrap(counted, "", s.width()))
	return err
}
