package policy

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
)

//go:embed policies.yaml
var policyFile []byte

// The policies that are the defaults of commands.
const (
	// Backfill is Slurm's own sched/backfill, tuned to look at the whole queue.
	Backfill = "backfill"
	// Auction is the agent with the default Parameters.
	Auction = "auction"
)

// Policy says who schedules, and how.
type Policy struct {
	Name string
	// About is one line, Source the section of a paper that the settings are from.
	About, Source string
	// Scheduler is Slurm's own; under the agent it is external to Slurm.
	Scheduler conf.Scheduler
	// Priority is the order of the queue, with an agent and without.
	Priority priority.Type
	// Parameters are the agent's, the defaults in a policy without an agent.
	Parameters Parameters
}

// HasAgent reports whether the agent schedules; otherwise Slurm does alone, and
// no parameter of the agent has any effect.
func (p Policy) HasAgent() bool { return p.Scheduler.External }

// Validate reports every fault of the settings.
func (p Policy) Validate() error {
	faults := []error{p.Scheduler.Validate(), p.Parameters.Validate(), p.Priority.Validate()}
	if p.HasAgent() && p.Priority == priority.Multifactor && p.Parameters.FairShare > 0 {
		faults = append(faults, fmt.Errorf("fair-share: %v is not allowed with priority %s, in which fair share has no weight", p.Parameters.FairShare, p.Priority))
	}
	return errors.Join(faults...)
}

// entry is a Policy as it stands in the file.
type entry struct {
	Name       string         `yaml:"name"`
	Like       string         `yaml:"like"`
	About      string         `yaml:"about"`
	Source     string         `yaml:"source"`
	Scheduler  conf.Scheduler `yaml:"scheduler"`
	Priority   priority.Type  `yaml:"priority"`
	Parameters yaml.MapSlice  `yaml:"parameters"`
}

// All returns all policies in the order of policies.yaml.
func All() ([]Policy, error) { return Parse(policyFile) }

// Parse reads the text of a file like policies.yaml, whose head explains it.
func Parse(file []byte) ([]Policy, error) {
	var entries []entry
	if err := yaml.UnmarshalWithOptions(file, &entries, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read policies: %w", err)
	}
	var all []Policy
	for _, e := range entries {
		if _, err := find(all, e.Name); err == nil || e.Name == "" {
			return nil, fmt.Errorf("read policies: %q is there twice or has no name", e.Name)
		}
		p, err := e.policy(all)
		if err != nil {
			return nil, fmt.Errorf("read policies: %s: %w", e.Name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// policy returns the entry with what it takes from an earlier one.
func (e entry) policy(earlier []Policy) (Policy, error) {
	p := Policy{Priority: priority.Basic, Parameters: DefaultParameters()}
	if e.Like != "" {
		var err error
		if p, err = find(earlier, e.Like); err != nil {
			return p, fmt.Errorf("like: %w", err)
		}
	}
	p.Name, p.About, p.Source = e.Name, e.About, e.Source
	p.Priority = cmp.Or(e.Priority, p.Priority)
	p.Scheduler = cmp.Or(e.Scheduler, p.Scheduler)
	if len(e.Parameters) > 0 && !p.HasAgent() {
		return p, errors.New("parameters: want none, they are those of the agent and its scheduler is not external")
	}
	if err := p.Parameters.read(e.Parameters); err != nil {
		return p, err
	}
	return p, p.Validate()
}

// Find returns the policy of that name.
func Find(name string) (Policy, error) {
	all, err := All()
	if err != nil {
		return Policy{}, err
	}
	return find(all, name)
}

func find(all []Policy, name string) (Policy, error) {
	names := make([]string, len(all))
	for i, p := range all {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return Policy{}, fmt.Errorf("policy: %q is not known%s", name, faults.Allowed(name, names, "slurmlab policy list"))
}
