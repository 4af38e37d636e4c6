package campaign

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Side is what tells a run from the one that it is compared with: the policy, or the backend, whose image has its usual
// name where Image is empty.
type Side struct {
	Policy  policy.Policy
	Backend backend.Backend
	Image   string
	// Former says that the folder of the runs was begun when one word named form and series of a backend.
	Former bool
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
	for _, c := range workloads.Summarise(r.Machine, r.Jobs).Classes {
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
	return fmt.Sprintf("%s-%s-%s-%s", r.Machine.Name, r.Label, side, replica)
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

// checkKnown is an error where the policy has an agent, and a job asks for what that does not know.
func (r Run) checkKnown(jobs []workloads.Job) error {
	if !r.Policy.HasAgent() {
		return nil
	}
	name := "policy " + r.Policy.Name
	if err := workloads.CheckShared(name, r.Machine, jobs); err != nil {
		return err
	}
	return workloads.CheckPlain(name, jobs, r.Policy.Columns()...)
}

// config is Config of a run that was checked.
func (r Run) config(image, dir string, how run.Config) run.Config {
	how.Spec, how.Dir, how.Image = r.Spec, dir, cmp.Or(image, r.Backend.Image())
	return how
}

// Pairs are the replicas on each side, in directories below out, the runs of a replica next to each other.
func Pairs(replicas []Run, sides []Side, out string, how run.Config) ([]run.Config, error) {
	var configs []run.Config
	for _, r := range replicas {
		for _, of := range sides {
			name := r.Name(of.Policy.Name)
			if sides[0].Backend != sides[1].Backend {
				name = r.nameThere(out, of, r.Name(of.Policy.Name+"-"+of.Backend.Name()), r.Name(of.Policy.Name+"-"+run.Recorded(of.Backend).Former()))
			}
			config, err := r.Config(of, filepath.Join(out, name), how)
			if err != nil {
				return nil, err
			}
			configs, r.Jobs = append(configs, config), config.Jobs
		}
	}
	return configs, nil
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
