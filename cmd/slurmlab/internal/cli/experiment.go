package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/emulator/clock"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

// defaultImage is the cluster image that "make image" builds.
const defaultImage = "slurmlab:latest"

// experiment holds the flags that "run" and "compare" share; "paper" has those of
// circumstances alone.
type experiment struct {
	machine  string
	workload string
	changes  changes
	seed     uint64
	clock    clockFlags
	core     string
	image    string
	out      string
	quiet    bool
	full     string
	priority priority.Type
	// parameters are what the flags say, whether given or not; see resolve.
	parameters emulator.Parameters
	given      *pflag.FlagSet
}

func (e *experiment) flags(cmd *cobra.Command) {
	e.circumstances(cmd)
	e.parameters = emulator.DefaultParameters()
	f := cmd.Flags()
	e.given = f
	f.StringVar(&e.machine, "machine", "S", "S, M, L, tsubame, or a YAML file")
	f.StringVar(&e.workload, "workload", "V.2", `name ("slurmlab workload list") or a .yaml, .csv or .txt file`)
	e.changes.arrivalsFlag(cmd)
	f.StringVar(&e.full, "full-configuration", "",
		"class of jobs of the whole machine (ESP's Z) that start before any job that waits with them")
	priorityFlag(cmd, &e.priority)
	f.StringVar(&e.out, "out", "", "directory to create for the results (default: one below runs/)")
	f.DurationVar(&e.parameters.Interval, "interval", e.parameters.Interval, "auction: virtual time between two cycles")
	f.StringVar((*string)(&e.parameters.Cycles), "cycles", string(e.parameters.Cycles),
		"auction: changed (a cycle only when a job came or ended) or every (one each interval); they decide alike")
	f.DurationVar(&e.parameters.SolveLimit, "solve-limit", e.parameters.SolveLimit, "auction: virtual time limit of one solution")
	f.IntVar(&e.parameters.Window, "window", e.parameters.Window, "auction: held jobs that take part")
	f.StringVar((*string)(&e.parameters.Objective), "objective", string(e.parameters.Objective),
		"auction: value (what a job takes, wide and short ones first) or priority (the papers': its place in the queue)")
	f.Float64Var(&e.parameters.MaxBypass, "max-bypass", e.parameters.MaxBypass,
		"auction: how many times the backlog that a job found others may pass it, before it is next (0: for ever)")
	f.IntVar(&e.parameters.MaxBidsPerJob, "max-bids-per-job", e.parameters.MaxBidsPerJob, "auction: bids of one job")
	f.IntVar(&e.parameters.MaxBids, "max-bids", e.parameters.MaxBids, "auction: bids of one cycle")
	f.DurationVar(&e.parameters.FairShare, "fair-share", 0,
		"auction: weigh jobs by the fair-share factor of their users; the half-life of usage, such as 168h (default: no fair share)")
	f.BoolVar(&e.parameters.SlurmBids, "slurm-bids", e.parameters.SlurmBids, "auction: bids of the order of the queue")
	f.BoolVar(&e.parameters.OnlyBlocks, "only-blocks", e.parameters.OnlyBlocks, "auction: bids for contiguous blocks alone")
	f.StringVar((*string)(&e.parameters.Shrink), "shrink", string(e.parameters.Shrink),
		"auction: what gets smaller when a solution ends at its limit: nothing, window (by 2) or bids (by 1.5)")
	f.BoolVar(&e.parameters.DumpModels, "dump-models", false,
		"auction: keep each cycle's integer program in models/, for slurmlab solve; writing takes its time in the cycle")
}

// circumstances are the flags of how a run goes, whatever runs.
func (e *experiment) circumstances(cmd *cobra.Command) {
	f := cmd.Flags()
	e.changes.runtimeFlag(cmd)
	f.Uint64Var(&e.seed, "seed", 1, "seed of the workload generator")
	e.clock.flags(cmd, clock.KindJump)
	f.StringVar(&e.core, "core", "auto", "processor core of the cluster: auto (a free one), none, or a number")
	f.StringVar(&e.image, "image", defaultImage, "cluster image")
	f.BoolVarP(&e.quiet, "quiet", "q", false, "no log and no progress bar")
}

// priorityFlag sets p to the flag, empty without it.
func priorityFlag(cmd *cobra.Command, p *priority.Type) {
	cmd.Flags().StringVar((*string)(p), "priority", "",
		"order of the queue, Slurm's PriorityType: basic (submission) or multifactor (size and age, as in IPSCHED) (default: the policy's)")
}

// policy returns the policy of that name with the flags that were given in place
// of its own settings, and all faults of both. An unknown policy has the flags as
// they are.
func (e *experiment) policy(name string) (emulator.Description, error) {
	d, err := emulator.FindPolicy(name)
	if err != nil {
		d.Priority, d.Parameters = cmp.Or(e.priority, priority.Basic), e.parameters
		return d, errors.Join(err, d.Validate())
	}
	var own experiment
	cmd := &cobra.Command{}
	own.flags(cmd)
	own.parameters = d.Parameters
	e.given.Visit(func(f *pflag.Flag) {
		if same := cmd.Flags().Lookup(f.Name); same != nil && err == nil {
			err = same.Value.Set(f.Value.String())
		}
	})
	d.Parameters = own.parameters
	d.Priority = cmp.Or(e.priority, d.Priority)
	return d, errors.Join(err, d.Validate())
}

// plan is a checked experiment: everything needed to start runs but the policy.
type plan struct {
	machine  workloads.Machine
	workload workloads.Workload
	image    lab.Image
	clock    clock.Settings
}

// check validates all input, asks for Docker and the image, and makes sure that
// the output directory is free. It creates nothing. The error lists the faults
// that the caller found together with its own.
func (e *experiment) check(ctx context.Context, s *State, faults ...error) (plan, error) {
	p, err := e.load()
	faults = append(faults, err)
	if _, missing := os.Lstat(e.out); e.out != "" && missing == nil {
		faults = append(faults, fmt.Errorf("out: %s exists already; choose a new directory", e.out))
	}
	if err = errors.Join(faults...); err != nil {
		return p, usage(err)
	}
	p.image, err = e.findImage(ctx, s)
	return p, err
}

// load reads machine, workload and clock and lists all faults of the flags.
func (e *experiment) load() (plan, error) {
	var p plan
	var faults []error
	keep := func(err error) { faults = append(faults, err) }
	var machineErr, workloadErr error
	p.machine, machineErr = workloads.LoadMachine(e.machine)
	keep(machineErr)
	p.workload, workloadErr = e.changes.load(e.workload)
	keep(workloadErr)
	var clockErr error
	p.clock, clockErr = e.clock.settings()
	keep(clockErr)
	keep(checkCore(e.core))
	if machineErr == nil && workloadErr == nil {
		// Generated once more for each run; here only the faults count.
		jobs, err := p.workload.Jobs(p.machine, e.seed)
		keep(err)
		if err == nil {
			keep(e.checkFull(p, jobs))
		}
	}
	return p, errors.Join(faults...)
}

// findImage asks for Docker and the image.
func (e *experiment) findImage(ctx context.Context, s *State) (lab.Image, error) {
	if _, err := lab.CheckEngine(ctx); err != nil {
		return lab.Image{}, err
	}
	return lab.CheckImage(ctx, e.image, s.Version)
}

// checkFull refuses a class that the workload does not have, which would do
// nothing.
func (e *experiment) checkFull(p plan, jobs []workloads.Job) error {
	if e.full == "" {
		return nil
	}
	var classes []string
	for _, c := range workloads.Summarise(p.machine, jobs).Classes {
		if c.Class == e.full {
			return nil
		}
		classes = append(classes, c.Class)
	}
	return fmt.Errorf("full-configuration: got %q, allowed the classes of %s: %s", e.full, p.workload.Name(), strings.Join(classes, ", "))
}

// config is one run of the experiment.
func (e *experiment) config(s *State, p plan, policy emulator.Description, seed uint64, dir string) (lab.Config, error) {
	jobs, err := p.workload.Jobs(p.machine, seed)
	if err != nil {
		return lab.Config{}, usage(err)
	}
	return lab.Config{
		Dir: dir, Image: e.image, ImageID: p.image.ID, Version: s.Version, Revision: s.Revision,
		Machine: p.machine, Workload: p.workload, Jobs: jobs, Seed: seed, Policy: policy.Name,
		Priority: policy.Priority, Parameters: policy.Parameters, FullConfiguration: e.full, Clock: p.clock, Log: s.logger(e.quiet || s.Terminal),
	}, nil
}

// runName is the name of a run below the output directory.
func runName(p plan, policy emulator.Policy, seed uint64) string {
	return fmt.Sprintf("%s-%s-%s-seed%d", p.machine.Name, p.workload.Name(), policy, seed)
}

// stamp makes the names of directories that the user did not name differ.
func stamp() string { return time.Now().Format("20060102-150405") }
