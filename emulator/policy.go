package emulator

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
	"github.com/slurmlab/slurmlab/results/trace"
)

//go:embed policies.yaml
var policyFile []byte

// Policy names who schedules a run, and how: an entry of policies.yaml.
type Policy string

// The policies that the program itself names.
const (
	// FIFO is Slurm's own sched/builtin: first in, first out.
	FIFO Policy = trace.PolicyFIFO
	// Backfill is Slurm's own sched/backfill, tuned.
	Backfill Policy = trace.PolicyBackfill
	// BackfillDefault is Slurm's own sched/backfill as Slurm comes.
	BackfillDefault Policy = trace.PolicyBackfillDefault
	// BackfillMultifactor is Backfill under priority/multifactor.
	BackfillMultifactor Policy = trace.PolicyBackfillMultifactor
	// Auction is our agent with our own settings.
	Auction Policy = "auction"
)

// HasAgent reports whether our agent schedules; otherwise Slurm does alone, and
// no parameter of the agent has any effect.
func (p Policy) HasAgent() bool { return trace.Run{Policy: string(p)}.HasAgent() }

// Method says which program the agent decides by.
type Method string

const (
	// MethodIPSCHED is the program of IPSCHED section III.
	MethodIPSCHED Method = "ipsched"
	// MethodAUCSCHED is that of AUCSCHED section 3, with variables u and r.
	MethodAUCSCHED Method = "aucsched"
	// MethodAuction is that of AUCSCHED2 section 2, by package auction.
	MethodAuction Method = "auction"
)

// ObjectivePriorityCores is IPSCHED's second objective, sum p r (s - c).
const ObjectivePriorityCores auction.Objective = "priority-cores"

// objectives are those that a method knows.
func (m Method) objectives() []auction.Objective {
	switch m {
	case MethodIPSCHED:
		return []auction.Objective{auction.ObjectivePriority, ObjectivePriorityCores}
	case MethodAUCSCHED:
		return []auction.Objective{auction.ObjectivePriority}
	default:
		return auction.Objectives()
	}
}

// shrinks are the ways in which the budget of a method may shrink.
func (m Method) shrinks() []agent.Shrink {
	if m == MethodIPSCHED {
		return []agent.Shrink{agent.ShrinkNothing, agent.ShrinkWindow}
	}
	return []agent.Shrink{agent.ShrinkNothing, agent.ShrinkWindow, agent.ShrinkBids}
}

// Description is a policy with its settings.
type Description struct {
	Name Policy
	// About is one line, Source the section of a paper that the settings are from.
	About, Source string
	// Priority is the order of the queue, with an agent and without.
	Priority   priority.Type
	Parameters Parameters
}

// Validate reports every fault of the settings.
func (d Description) Validate() error {
	faults := []error{d.Parameters.Validate(), d.Priority.Validate()}
	if d.Name.HasAgent() && d.Priority == priority.Multifactor && d.Parameters.FairShare > 0 {
		faults = append(faults, fmt.Errorf("fair-share: %v is not allowed with priority %s, in which fair share has no weight", d.Parameters.FairShare, d.Priority))
	}
	return errors.Join(faults...)
}

// entry is a Description as it stands in the file.
type entry struct {
	Name       Policy        `yaml:"name"`
	Like       Policy        `yaml:"like"`
	About      string        `yaml:"about"`
	Source     string        `yaml:"source"`
	Priority   priority.Type `yaml:"priority"`
	Parameters rawFields     `yaml:"parameters"`
}

// rawFields are decoded onto the parameters that they change.
type rawFields []byte

// UnmarshalYAML keeps the text.
func (r *rawFields) UnmarshalYAML(text []byte) error {
	*r = slices.Clone(text)
	return nil
}

// Policies returns all policies in the order of the file.
func Policies() ([]Description, error) { return parsePolicies(policyFile) }

func parsePolicies(file []byte) ([]Description, error) {
	var entries []entry
	if err := yaml.UnmarshalWithOptions(file, &entries, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read policies: %w", err)
	}
	var all []Description
	for _, e := range entries {
		if _, err := find(all, e.Name); err == nil || e.Name == "" {
			return nil, fmt.Errorf("read policies: %q is there twice or has no name", e.Name)
		}
		d := Description{Name: e.Name, About: e.About, Source: e.Source, Priority: priority.Basic, Parameters: DefaultParameters()}
		if e.Like != "" {
			base, err := find(all, e.Like)
			if err != nil {
				return nil, fmt.Errorf("read policies: %s is like %s: %w", e.Name, e.Like, err)
			}
			d.Priority, d.Parameters = base.Priority, base.Parameters
		}
		d.Priority = cmp.Or(e.Priority, d.Priority)
		// Of no text at all the decoder would make a zero value.
		if len(e.Parameters) > 0 {
			if err := yaml.UnmarshalWithOptions(e.Parameters, &d.Parameters, yaml.Strict()); err != nil {
				return nil, fmt.Errorf("read policies: %s: %w", e.Name, err)
			}
		}
		if !e.Name.HasAgent() && (e.Like != "" || len(e.Parameters) > 0) {
			return nil, fmt.Errorf("read policies: %s: like and parameters are the agent's, and it has none", e.Name)
		}
		if err := d.Validate(); err != nil {
			return nil, fmt.Errorf("read policies: %s: %w", e.Name, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// FindPolicy returns the policy of that name.
func FindPolicy(name string) (Description, error) {
	all, err := Policies()
	if err != nil {
		return Description{}, err
	}
	return find(all, Policy(name))
}

func find(all []Description, name Policy) (Description, error) {
	names := make([]string, len(all))
	for i, d := range all {
		if d.Name == name {
			return d, nil
		}
		names[i] = string(d.Name)
	}
	return Description{}, fmt.Errorf("policy: %q is not known, allowed are %s", name, strings.Join(names, ", "))
}
