package cli

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

func policyCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "List and describe policies",
	}
	cmd.AddCommand(policyListCommand(s), policyDescribeCommand(s))
	return cmd
}

func policyListCommand(s *State) *cobra.Command {
	var l listing
	var file policyFile
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the policies, with a line about each",
		Example: "  slurmlab policy list\n  slurmlab policy list --policy-file mine.yaml",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, err := file.All()
			if err != nil {
				return usage(err)
			}
			var names []named
			for _, p := range all {
				names = append(names, named{p.Name, p.About})
			}
			return l.printNames(s, names)
		},
	}
	l.flag(cmd)
	file.flag(cmd)
	return cmd
}

func policyDescribeCommand(s *State) *cobra.Command {
	var l listing
	var file policyFile
	cmd := &cobra.Command{
		Use:               "describe NAME",
		Short:             "Print a policy's settings, and the paper's section they are from",
		Example:           "  slurmlab policy describe ipsched",
		ValidArgsFunction: completions(ofPolicies).first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := file.Find(args[0])
			if err = errors.Join(err, l.check()); err != nil {
				return usage(err)
			}
			text, err := yaml.Marshal(struct {
				Name       string             `yaml:"name"`
				About      string             `yaml:"about"`
				Source     string             `yaml:"source"`
				Slurm      yaml.MapSlice      `yaml:"slurm.conf"`
				Parameters *policy.Parameters `yaml:"parameters,omitempty"`
			}{p.Name, p.About, p.Source, slurmSettings(p), agentParameters(p)})
			if err != nil {
				return err
			}
			object, err := yaml.YAMLToJSON(text)
			if err != nil {
				return err
			}
			return l.print(s, json.RawMessage(object), func(io.Writer) error {
				return s.explained(func(w io.Writer) error {
					_, err := w.Write(text)
					return err
				})
			})
		},
	}
	l.flag(cmd)
	file.flag(cmd)
	return cmd
}

// agentParameters is nil for a policy without an agent.
func agentParameters(p policy.Policy) *policy.Parameters {
	if !p.HasAgent() {
		return nil
	}
	return &p.Parameters
}

// slurmSettings are the lines of slurm.conf that a policy has of its own. Those of
// the scheduler are empty with an agent, under which Slurm decides nothing.
func slurmSettings(p policy.Policy) yaml.MapSlice {
	var lines yaml.MapSlice
	add := func(name string, value any) { lines = append(lines, yaml.MapItem{Key: name, Value: value}) }
	if !p.HasAgent() {
		add("SchedulerType", p.Scheduler.Type)
		if p.Scheduler.Parameters != "" {
			add("SchedulerParameters", p.Scheduler.Parameters)
		}
	}
	add("PriorityType", p.Priority.Plugin())
	for _, line := range append(p.Scheduler.PriorityLines(p.Priority), conf.ParseLines(p.Scheduler.Lines)...) {
		name, text, _ := strings.Cut(line, "=")
		var value any = text
		if number, err := strconv.Atoi(text); err == nil {
			value = number
		}
		add(name, value)
	}
	return lines
}
