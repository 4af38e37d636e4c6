package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

// experiment holds the flags that "run" and "compare" share. "paper" has only those
// of executionFlags.
type experiment struct {
	execution
	machine  string
	workload string
	changes  changes
	seed     uint64
	clock    clockFlags
	kind     kindFlags
	// others are the kinds beside kind of a comparison.
	others []kindFlags
	memory memoryLimit
	// allowFailed is run.Config.AllowFailed.
	allowFailed bool
	full        string
	eventsFile  eventsFile
	policyFile  policyFile
	priority    priority.Type
	// past is the policy of the runs before a checkpoint, where it is the one that settings change.
	past []policy.Policy
	// parameters are the values of the flags, whether given or not; see
	// experiment.policy.
	parameters policy.Parameters
	given      *pflag.FlagSet
}

// policy returns the policy of that name with the flags that were given in place
// of its own settings, and all faults of both. An unknown policy has the flags as
// they are.
func (e *experiment) policy(name string) (policy.Policy, error) {
	p, err := e.find(name)
	if err != nil {
		p.Priority, p.Parameters = cmp.Or(e.priority, priority.Basic), e.parameters
		return p, errors.Join(err, p.Parameters.Validate(), p.Priority.Validate())
	}
	return e.changed(p)
}

// find returns the policy of that name, which may be that of the runs before a checkpoint.
func (e *experiment) find(name string) (policy.Policy, error) {
	return e.policyFile.Find(name, e.past...)
}

// usual is the name of the policy that settings change where none is named.
func (e *experiment) usual() string {
	if len(e.past) > 0 {
		return e.past[0].Name
	}
	return policy.Backfill
}

// changed is the policy with the flags that were given in place of its own settings.
func (e *experiment) changed(p policy.Policy) (policy.Policy, error) {
	var err error
	own := pflag.NewFlagSet(p.Name, pflag.ContinueOnError)
	p.Parameters.Flags(own)
	e.given.Visit(func(f *pflag.Flag) {
		if same := own.Lookup(f.Name); same != nil && err == nil {
			err = same.Value.Set(f.Value.String())
		}
	})
	p.Priority = cmp.Or(e.priority, p.Priority)
	return p, errors.Join(err, p.Validate())
}

// effects are the flags that were given and change nothing under any of the policies.
func (e *experiment) effects(policies ...policy.Policy) error {
	var faults []error
	e.given.Visit(func(f *pflag.Flag) { faults = append(faults, policy.Effect(f.Name, policies...)) })
	return errors.Join(faults...)
}

// plan is a checked experiment: everything needed to start runs but the policy.
type plan struct {
	// Run is the run with the first seed.
	campaign.Run
	clock clock.Settings
}

// prepare validates all input and warns of jobs that will show nothing. It creates
// nothing. The error lists the faults that the caller found together with its own.
func (e *experiment) prepare(s *State, faults ...error) (plan, error) {
	p, err := e.load()
	faults = append(faults, err)
	switch {
	case e.Out == "":
	case e.GoesOn:
		faults = append(faults, checkRuns(e.Out))
	default:
		faults = append(faults, checkNew(e.Out, "directory"))
	}
	if err = errors.Join(faults...); err != nil {
		return p, usage(err)
	}
	for _, text := range report.WarningsOfJobs(p.Machine, p.Jobs) {
		s.warnf("%s", text)
	}
	return p, nil
}

// checkDash refuses the value of a flag that names a file or directory which commands that
// are typed later would take for a flag.
func checkDash(flag, path string) error {
	if strings.HasPrefix(path, "-") {
		return fmt.Errorf("%s: %q begins with -, which commands take for a flag; write ./%s", flag, path, path)
	}
	return nil
}

// checkNew refuses the value of --out where something is.
func checkNew(out, kind string) error {
	if err := checkDash("out", out); err != nil {
		return err
	}
	if _, missing := os.Lstat(out); missing == nil {
		return fmt.Errorf("out: %s exists already; choose a new %s", out, kind)
	}
	return nil
}

// checkRuns refuses the value of --out where something is that is neither empty nor a
// directory with runs in it: nobody's files are mixed with those of a comparison.
func checkRuns(out string) error {
	if err := checkDash("out", out); err != nil {
		return err
	}
	entries, err := os.ReadDir(out)
	if errors.Is(err, os.ErrNotExist) || err == nil && (len(entries) == 0 || len(campaign.RunsIn(out)) > 0) {
		return nil
	}
	return checkNew(out, "directory")
}

// load reads machine, workload and clock and lists all faults of the flags.
func (e *experiment) load() (plan, error) {
	var p plan
	var faults []error
	keep := func(err error) { faults = append(faults, err) }
	machineErr, workloadErr := checkDash("machine", e.machine), checkDash("workload", e.workload)
	if machineErr == nil {
		p.Machine, machineErr = workloads.LoadMachine(e.machine)
	}
	keep(machineErr)
	if workloadErr == nil {
		p.Workload, workloadErr = e.changes.load(e.workload)
	}
	keep(workloadErr)
	p.Seed = e.seed
	if workloadErr == nil {
		p.Label = p.Workload.Name()
		keep(checkSeed(e.given, p.Workload))
	}
	if machineErr == nil {
		var err error
		p.Events, err = e.eventsFile.load(p.Machine)
		keep(err)
	}
	keep(e.eventsFile.check(append([]kindFlags{e.kind}, e.others...)...))
	var clockErr error
	p.clock, clockErr = e.clock.settings()
	keep(clockErr)
	keep(campaign.CheckCore(e.Core))
	keep(e.Runtime.Check(int64(e.memory)))
	for _, k := range append([]kindFlags{e.kind}, e.others...) {
		keep(k.check())
		if machineErr == nil {
			keep(k.fit(p.Machine))
		}
	}
	if machineErr == nil && workloadErr == nil {
		var err error
		p.Jobs, err = p.Workload.Jobs(p.Machine, e.seed)
		keep(err)
		if err == nil {
			keep(e.checkFull(p))
		}
	}
	return p, errors.Join(faults...)
}

// checkFull refuses a class that no job of the workload has: --full-configuration
// would have no effect. That rule is itself made of dependencies, which take the place of
// those of the workload.
func (e *experiment) checkFull(p plan) error {
	if e.full == "" {
		return nil
	}
	for _, j := range p.Jobs {
		if j.Dependency != "" {
			return fmt.Errorf("full-configuration: got %q, allowed none, as jobs of %s have a dependency: job %d has %s", e.full, p.Workload.Name(), j.ID, j.Dependency)
		}
	}
	var classes []string
	for _, c := range workloads.Summarise(p.Machine, p.Jobs).Classes {
		if c.Class == e.full {
			return nil
		}
		classes = append(classes, c.Class)
	}
	return fmt.Errorf("full-configuration: got %q, allowed the classes of %s: %s", e.full, p.Workload.Name(), strings.Join(classes, ", "))
}

// common is what the runs of the experiment have in common.
func (e *experiment) common(s *State, p plan) campaign.Common {
	return campaign.Common{
		Version: s.Version, Revision: s.Revision, Clock: p.clock, FullConfiguration: e.full, AllowFailed: e.allowFailed, Memory: int64(e.memory),
	}
}

// stamp makes the names of directories that the user did not name differ.
func stamp() string { return time.Now().Format("20060102-150405") }
