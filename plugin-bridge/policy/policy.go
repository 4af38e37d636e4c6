package policy

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

//go:embed policies.yaml
var policyFile []byte

// The policies that are the defaults of commands.
const (
	// Backfill is Slurm's own sched/backfill with the strongest parameters that we know.
	Backfill = trace.Backfill
	// WholeQueue is sched/backfill in the order of submission, the set nearest to the
	// papers' own backfill.
	WholeQueue = trace.WholeQueue
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
	// ProgramFile is where the program of MethodProgram lies, on the machine of the user.
	ProgramFile string `json:"-"`
}

// HasAgent reports whether the agent schedules; otherwise Slurm does alone, and
// no parameter of the agent has any effect.
func (p Policy) HasAgent() bool { return p.Scheduler.External }

// ByValue says that an auction decides by an objective for which auction.Rule values the jobs.
func (p Policy) ByValue() bool {
	return p.HasAgent() && p.Parameters.Method == MethodAuction && p.Parameters.Objective.ByValue()
}

// Validate reports every fault of the settings.
func (p Policy) Validate() error {
	faults := []error{p.Scheduler.Validate(), p.Parameters.Validate(), p.Priority.Validate()}
	if p.HasAgent() && p.Priority == priority.Multifactor && p.Parameters.FairShare > 0 {
		faults = append(faults, fmt.Errorf("fair_share: %v is not allowed with priority %s, in which fair share has no weight", p.Parameters.FairShare, p.Priority))
	}
	if p.Scheduler.Priority != "" && p.Priority == priority.Basic {
		faults = append(faults, fmt.Errorf("%s: has no effect with priority %s, the order of submission; also set priority=%s", p.Scheduler.Priority, p.Priority, priority.Multifactor))
	}
	if p.HasAgent() && p.Priority == priority.SizeByTime {
		// The agent keeps its order of releases by nice values, one step of which would
		// have to be more than the highest priority; Slurm has room for two such steps.
		faults = append(faults, fmt.Errorf("priority: %s is not allowed with an agent, want %s or %s", p.Priority, priority.Basic, priority.Multifactor))
	}
	ordered := p.Parameters.Method == MethodFormula
	if p.HasAgent() && ordered != (p.Scheduler.Type == conf.Backfill) {
		faults = append(faults, fmt.Errorf("scheduler: %s is not allowed with method %s, want %s with method %s and %s with the others",
			p.Scheduler.Type, p.Parameters.Method, conf.Backfill, MethodFormula, conf.Builtin))
	}
	if p.HasAgent() && ordered && p.Priority != priority.Basic {
		faults = append(faults, fmt.Errorf("priority: %s is not allowed with method %s, which sets the priorities, want %s", p.Priority, MethodFormula, priority.Basic))
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
	Settings   yaml.MapSlice  `yaml:"settings"`
}

// Policies are those that have a name, each name once.
type Policies []Policy

// All returns slurmlab's own policies in the order of policies.yaml.
func All() (Policies, error) { return Policies(nil).With("policies.yaml", policyFile) }

// With returns the policies together with the ones in a file like policies.yaml, whose head explains it. The error
// names the file, the line of the entry, the entry and the field.
func (all Policies) With(file string, text []byte) (Policies, error) {
	list := faults.List{Name: file}
	body, line, err := input.Parse(text)
	if err != nil {
		list.Add(line, err)
		return nil, list.Err()
	}
	lines, isList := body.(*ast.SequenceNode)
	if !isList {
		list.Addf(1, "document: want a list of policies, each with a name (- name: mine)")
		return nil, list.Err()
	}
	if line := aliasLine(body); line > 0 {
		list.Addf(line, "anchor: a list or mapping is not allowed, want a single value")
		return nil, list.Err()
	}
	var entries []entry
	if err = yaml.UnmarshalWithOptions(text, &entries, yaml.Strict()); err != nil {
		line, message := input.Position(err)
		list.Addf(line, "%s", message)
		return nil, list.Err()
	}
	all = slices.Clone(all)
	for i, e := range entries {
		p, err := e.policy(all)
		if err != nil {
			list.Addf(lines.Values[i].GetToken().Position.Line, "policy %s: %w", e.Name, err)
			continue
		}
		all = append(all, p)
	}
	return all, list.Err()
}

// aliasLine returns the line of the first anchor that stands for more than a value, 0 for
// none: aliases of lists of aliases could stand for more than there is memory.
func aliasLine(body ast.Node) int {
	for _, n := range ast.Filter(ast.AnchorType, body) {
		if anchor, is := n.(*ast.AnchorNode); is {
			if _, is = anchor.Value.(ast.ScalarNode); !is {
				return anchor.GetToken().Position.Line
			}
		}
	}
	return 0
}

// policy returns the entry with what it takes from an earlier one.
func (e entry) policy(earlier Policies) (Policy, error) {
	if err := e.checkName(earlier); err != nil {
		return Policy{}, err
	}
	p := Policy{Priority: priority.Basic, Parameters: DefaultParameters()}
	if e.Like != "" {
		var err error
		if p, err = earlier.Find(e.Like); err != nil {
			return p, fmt.Errorf("like: %w", err)
		}
	}
	p.Name, p.About, p.Source = e.Name, e.About, e.Source
	p.Priority = cmp.Or(e.Priority, p.Priority)
	p.Scheduler = cmp.Or(e.Scheduler, p.Scheduler)
	if len(e.Parameters) > 0 && !p.HasAgent() {
		return p, errors.New("parameters: want none, they belong to the agent and its scheduler is not external")
	}
	if err := p.Parameters.read(e.Parameters); err != nil {
		return p, err
	}
	var bad []error
	for _, item := range e.Settings {
		if err := p.set(Setting{fmt.Sprint(item.Key), fmt.Sprint(item.Value)}); err != nil {
			bad = append(bad, fmt.Errorf("settings.%w", err))
		}
	}
	if len(bad) > 0 {
		return p, errors.Join(bad...)
	}
	return p, p.Validate()
}

// checkName: a name is allowed, and no earlier policy has it.
func (e entry) checkName(earlier Policies) error {
	if err := CheckName(e.Name); err != nil {
		return err
	}
	if slices.ContainsFunc(earlier, func(p Policy) bool { return p.Name == e.Name }) {
		return fmt.Errorf("name: %q is there already, want another one", e.Name)
	}
	return nil
}

// CheckName refuses a name that cannot be a word of the command line and part of a
// directory's name.
func CheckName(name string) error {
	const first = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	if name == "" || len(name) > 120 || !strings.Contains(first, name[:1]) || strings.Trim(name, first+".+-") != "" {
		return fmt.Errorf("name: %q is not allowed, want 1 to 120 letters, digits, - + . and _, the first a letter, digit or _", name)
	}
	return nil
}

// Find returns slurmlab's own policy of that name.
func Find(name string) (Policy, error) {
	all, err := All()
	if err != nil {
		return Policy{}, err
	}
	return all.Find(name)
}

// Find returns the policy of that name.
func (all Policies) Find(name string) (Policy, error) {
	names := make([]string, len(all))
	for i, p := range all {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	program := ""
	if filepath.Ext(name) != "" {
		program = "; a program of yours is named with " + ExecPrefix + name
	}
	return Policy{}, fmt.Errorf("policy: %q is not known%s%s", name, faults.Allowed(name, names, "slurmlab policy list"), program)
}
