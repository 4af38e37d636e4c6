package campaign

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/profile"
)

// Side is what tells a run from the one that it is compared with: the policy, the backend, whose image has its usual
// name where Image is empty, or the world.
type Side struct {
	Policy  policy.Policy
	Backend backend.Backend
	Image   string
	// World is nil where it is the run's.
	World *World
	// Former says that the folder of the runs was begun when one word named form and series of a backend.
	Former bool
}

// World is a machine, and what happens to it.
type World struct {
	Machine    workloads.Machine
	Events     []events.Event
	EventsName string
}

// in is the run in another world, or in its own for nil.
func (r Run) in(w *World) Run {
	if w == nil {
		return r
	}
	if !w.Machine.Equal(r.Machine) {
		// They must fit, and some are made for the machine.
		r.Jobs = nil
	}
	r.Machine, r.Events, r.EventsName = w.Machine, w.Events, w.EventsName
	return r
}

// CheckFull refuses a FullConfiguration that no job of the workload has: it would have no effect. That rule is
// itself made of dependencies, which replace the workload's.
func (r Run) CheckFull() error {
	if r.FullConfiguration == "" {
		return nil
	}
	for _, j := range r.Jobs {
		if j.Dependency != "" {
			return fmt.Errorf("full-configuration: got %q, allowed none, as jobs of %s have a dependency: job %d has %s", r.FullConfiguration, r.Workload.Name(), j.ID, j.Dependency)
		}
	}
	var classes []string
	for _, c := range profile.Summarise(r.Machine, r.Jobs).Classes {
		if c.Class == r.FullConfiguration {
			return nil
		}
		classes = append(classes, c.Class)
	}
	return fmt.Errorf("full-configuration: got %q, allowed the classes of %s: %s", r.FullConfiguration, r.Workload.Name(), strings.Join(classes, ", "))
}

// Name names the run's directory and ends with the name of its side.
func (r Run) Name(side string) string {
	replica := "seed" + r.seedText()
	if number, windows := r.Workload.Window(); windows > 0 {
		replica = fmt.Sprintf("window%d", number)
	}
	return fmt.Sprintf("%s-%s-%s-%s", r.Machine.Name, r.Label, trace.HyphenedPolicy(side), replica)
}

// Replicas are the run under n seeds, which count up from its own, or each of so many windows of its workload if there
// are any.
func (r Run) Replicas(n, windows int) ([]Run, error) {
	var list []Run
	if windows == 0 {
		for i := range uint64(n) {
			replica := r
			replica.Seed += i
			if i > 0 {
				replica.Jobs = nil
			}
			list = append(list, replica)
		}
		return list, nil
	}
	parts, err := r.Workload.Windows(windows)
	if err != nil {
		return nil, faults.Usage(err)
	}
	for _, part := range parts {
		r.Workload, r.Jobs = part, nil
		list = append(list, r)
	}
	return list, nil
}

// Config is the run on one side, carried out in a directory as how says. Its jobs are generated unless it has them, and its image
// is not known yet. What the policy cannot run is an error.
func (r Run) Config(of Side, dir string, how run.Config) (run.Config, error) {
	r.Policy, r.Backend = of.Policy, of.Backend
	if err := r.Policy.CheckMachine(r.Machine.Name, r.Machine.Layout, !r.Machine.Blocks.None()); err != nil {
		return run.Config{}, faults.Usage(err)
	}
	if err := r.Policy.CheckSlurm(r.Backend.Series); err != nil {
		return run.Config{}, faults.Usage(err)
	}
	var err error
	if r.Jobs == nil {
		r.Jobs, err = r.Workload.Jobs(r.Machine, r.Seed)
	}
	if err == nil {
		err = r.checkKnown(r.Jobs)
	}
	if err != nil {
		return run.Config{}, faults.Usage(err)
	}
	return r.config(of.Image, dir, how), nil
}

// checkKnown is an error where the policy has an agent, and a job or an event asks for what that does not know.
func (r Run) checkKnown(jobs []workloads.Job) error {
	if !r.Policy.HasAgent() {
		return nil
	}
	name := "policy " + r.Policy.Name
	if events.Modifies(r.Events) {
		return fmt.Errorf("events: %s keeps to the limits of the machine file, and does not know of the event %s; want a policy without an agent", name, events.Modify)
	}
	if err := errors.Join(workloads.CheckShared(name, r.Machine, jobs), r.checkPast(name, jobs)); err != nil {
		return err
	}
	return workloads.CheckPlain(name, jobs, r.Policy.Columns()...)
}

// checkPast is an error about jobs that ran before the run begins and that its limits forbid. Slurm evicts no job when a limit is
// lowered, and slurmlab lets such a job start. An agent keeps to the limits from the start, so that the job would wait forever.
func (r Run) checkPast(name string, jobs []workloads.Job) error {
	count := 0
	var first error
	for _, j := range jobs {
		ran := j.Ran > 0
		j.Past = workloads.Past{}
		if !ran {
			continue
		}
		if faults := j.Validate(r.Machine); len(faults) > 0 {
			if count++; first == nil {
				first = faults[0]
			}
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%s would never start %s that ran before and that machine %s forbids, such as: %w; want a policy without an agent, or a machine that allows them",
		name, text.Plural(count, "job"), r.Machine.Name, first)
}

// config is Config of a run that was checked.
func (r Run) config(image, dir string, how run.Config) run.Config {
	how.Spec, how.Dir, how.Image = r.Spec, dir, cmp.Or(image, r.Backend.Image())
	return how
}

// Pairs are the replicas on each side, in directories below out, the runs of a replica next to each other. All sides have the
// same jobs.
func Pairs(replicas []Run, sides []Side, out string, how run.Config) ([]run.Config, error) {
	var configs []run.Config
	for _, replica := range replicas {
		first := len(configs)
		for _, of := range sides {
			r := replica.in(of.World)
			config, err := r.Config(of, filepath.Join(out, r.nameOf(out, of, sides)), how)
			if err != nil {
				return nil, err
			}
			// Drawn once, and not for each side.
			configs, replica.Jobs = append(configs, config), config.Jobs
			if err = checkSameJobs(configs[first], config); err != nil {
				return nil, err
			}
		}
	}
	return configs, nil
}

// nameOf is the name of the directory of the run on a side, which has what the sides differ in.
func (r Run) nameOf(out string, of Side, sides []Side) string {
	switch {
	case sides[0].World != nil && sides[0].World.EventsName != sides[1].World.EventsName:
		return r.Name(of.Policy.Name + "-" + cmp.Or(r.EventsName, strings.ReplaceAll(trace.NoEvents, " ", "-")))
	case sides[0].Backend != sides[1].Backend:
		return r.nameThere(out, of, r.Name(of.Policy.Name+"-"+of.Backend.Name()), r.Name(of.Policy.Name+"-"+run.Recorded(of.Backend).Former()))
	}
	return r.Name(of.Policy.Name)
}

// checkSameJobs refuses a workload that has other jobs on another machine.
func checkSameJobs(a, b run.Config) error {
	if a.Machine.Equal(b.Machine) {
		return nil
	}
	var one, other bytes.Buffer
	if err := errors.Join(workloads.WriteCSV(&one, a.Jobs), workloads.WriteCSV(&other, b.Jobs)); err != nil || bytes.Equal(one.Bytes(), other.Bytes()) {
		return err
	}
	name := a.Workload.Name()
	if a.Workload.Drawn() {
		return faults.Usage(fmt.Errorf("workload: the jobs of %s are drawn for a machine, and those for %s and %s differ; want a .csv or .txt file of jobs, as this prints: slurmlab workload generate %s --machine %s",
			name, a.Machine.Name, b.Machine.Name, text.ShellWord(name), text.ShellWord(a.Machine.Name)))
	}
	return faults.Usage(fmt.Errorf("workload: jobs of %s have whole nodes in a partition of one of the machines %s and %s alone, want machines on which the jobs are the same", name, a.Machine.Name, b.Machine.Name))
}

// DirName is the name of the run's directory below a folder of runs of several policies: as a campaign has it, or as an earlier
// slurmlab named it that has begun the folder.
func (r Run) DirName(folder string, of Side) string {
	former := r.Name(run.Recorded(of.Backend).FormerLabel(of.Policy.Name))
	if of.Former {
		return former
	}
	return r.nameThere(folder, of, r.Name(of.Backend.Label(of.Policy.Name)), former)
}

// nameThere is the first of two names, or the second where a run of the backend has that.
func (r Run) nameThere(folder string, of Side, name, former string) string {
	if name == former {
		return name
	}
	_, record, err := trace.OpenRun(filepath.Join(folder, former))
	if err != nil || record.Backend != run.Recorded(of.Backend) {
		return name
	}
	return former
}
