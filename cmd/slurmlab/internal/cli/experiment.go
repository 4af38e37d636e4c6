package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/workloads"
)

// experiment holds the flags that "run" and "compare" share. "paper" has only those
// of executionFlags.
type experiment struct {
	execution
	// config has what flags set of each run as it is. The others are read from what they name.
	config   run.Config
	machine  string
	workload string
	changes  changes
	clock    clockFlags
	// backends are those that the runs are asked for on, one or two.
	backends   []backendFlags
	eventsFile eventsFile
	// otherMachine or otherEvents is the second one of a comparison, empty and nil for none. worlds are both sides, after load.
	otherMachine string
	otherEvents  *eventsFile
	worlds       []campaign.World
	policyFile   policyFile
	settings     settings
	// past is the policy of the runs before a checkpoint, where it is the one that settings change.
	past  []policy.Policy
	given *pflag.FlagSet
}

// find returns the policy of that name, which may come from the runs before a checkpoint. Settings of --set that the
// policy has take the place of its own.
func (e *experiment) find(name string) (policy.Policy, error) {
	p, err := e.policyFile.Find(name, e.past...)
	if err != nil {
		return p, err
	}
	return p.ChangeWhere(e.settings...)
}

// usual is the name of the policy that settings change where none is named.
func (e *experiment) usual() string {
	if len(e.past) > 0 {
		return e.past[0].Name
	}
	return policy.Backfill
}

// findUsed is find, and refuses settings that the policy does not have. The error lists all faults of both.
func (e *experiment) findUsed(name string) (policy.Policy, error) {
	p, err := e.find(name)
	if p.Name == "" {
		return p, errors.Join(err, e.effects())
	}
	return p, errors.Join(err, e.effects(p))
}

// effects refuses settings that none of the policies has. Without policies it refuses those that no
// policy knows.
func (e *experiment) effects(policies ...policy.Policy) error {
	// Finding the policies reported a faulty file.
	all, _ := e.policyFile.All()
	return policy.CheckEffect(e.settings, policies, all)
}

// prepare validates all input and warns of jobs that will show nothing. It creates
// nothing. The run has the first seed and no policy yet. The error lists the faults that the caller found together with
// its own.
func (e *experiment) prepare(s *State, faults ...error) (campaign.Run, error) {
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
	e.sayBackends(s)
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

// checkRuns refuses a value of --out that exists and is neither empty nor a directory with runs in it. Otherwise the
// files of a comparison would mix with other files.
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
func (e *experiment) load() (campaign.Run, error) {
	p := campaign.Run{Spec: e.config.Spec}
	var faults []error
	keep := func(err error) { faults = append(faults, err) }
	machineErr, workloadErr := e.loadMachine(&p.Spec), checkDash("workload", e.workload)
	keep(machineErr)
	if workloadErr == nil {
		p.Workload, workloadErr = e.changes.load(e.workload)
	}
	keep(workloadErr)
	if workloadErr == nil {
		p.Label = p.Workload.Name()
		keep(checkSeed(e.given, p.Workload))
	}
	if machineErr == nil {
		var err error
		p.EventsName = e.eventsFile.name()
		p.Events, err = e.eventsFile.load(p.Machine)
		keep(err)
		keep(e.loadOther(p))
	}
	keep(e.loadCluster(&p.Spec))
	if machineErr == nil && workloadErr == nil {
		var err error
		p.Jobs, err = p.Workload.Jobs(p.Machine, p.Seed)
		keep(err)
		if err == nil {
			keep(p.CheckFull())
		}
	}
	return p, errors.Join(faults...)
}

// loadMachine reads the machine.
func (e *experiment) loadMachine(s *drive.Spec) (err error) {
	if err = checkDash("machine", e.machine); err == nil {
		s.Machine, err = workloads.LoadMachine(e.machine)
	}
	return err
}

// loadCluster reads how the machine is emulated.
func (e *experiment) loadCluster(s *drive.Spec) (err error) {
	s.Clock, err = e.clock.settings()
	return errors.Join(err, campaign.CheckCore(e.Core), e.Engine.Check(e.config.Memory), e.chooseBackends(s.Machine))
}

// happens says that there are events on one side or the other.
func (e *experiment) happens() bool {
	return e.eventsFile != "" || e.otherEvents != nil && *e.otherEvents != ""
}

// chooseBackends finds the backends for the machine, which is the zero value where it is not known, and for the second one of a
// comparison. It lists the faults of those that cannot have it or what else is asked for.
func (e *experiment) chooseBackends(m workloads.Machine) error {
	machines := []workloads.Machine{m}
	for _, w := range e.worlds {
		machines = append(machines, w.Machine)
	}
	needs := backend.Needs{Events: e.happens(), Stops: e.config.StopAt > 0, Rootless: e.Engine == run.CharliecloudName}
	for _, m := range machines {
		needs.Nodes, needs.Groups = max(needs.Nodes, m.Nodes), needs.Groups || m.Unequal()
		needs.Blocks = needs.Blocks || !m.Blocks.None()
	}
	var faults []error
	for i := range e.backends {
		b := &e.backends[i]
		if err := b.choose(needs); err != nil {
			faults = append(faults, err)
			continue
		}
		for _, m := range machines[max(0, len(machines)-2):] {
			faults = append(faults, b.fit(m))
		}
		if e.happens() {
			faults = append(faults, backend.All().CheckEvents(b.Backend))
		}
	}
	return errors.Join(faults...)
}

// sayBackends names the backends that were taken without the user's word.
func (e *experiment) sayBackends(s *State) {
	for i := range e.backends {
		e.backends[i].say(s)
	}
}

// stamp makes the names of directories that the user did not name differ.
func stamp() string { return time.Now().Format("20060102-150405") }
