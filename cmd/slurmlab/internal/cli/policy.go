package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
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
		Short:             "Print a policy's settings, and the keys that --set takes there",
		Example:           "  slurmlab policy describe auction\n  slurmlab policy describe backfill+bf_window=5760",
		ValidArgsFunction: completions(ofPolicies).first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := file.Find(args[0])
			if err = errors.Join(err, l.check()); err != nil {
				return usage(err)
			}
			about := aboutPolicy{p.Name, p.About, p.Source, slurmSettings(p), agentParameters(p), nil}
			text, err := yaml.Marshal(about)
			if err != nil {
				return err
			}
			about.Keys = settingKeys(p)
			all, err := yaml.Marshal(about)
			if err != nil {
				return err
			}
			object, err := yaml.YAMLToJSON(all)
			if err != nil {
				return err
			}
			return l.print(s, json.RawMessage(object), func(io.Writer) error {
				return s.explained(func(w io.Writer) error {
					_, err := io.WriteString(w, string(text)+keysText(p, s.width()))
					return err
				})
			})
		},
	}
	l.flag(cmd)
	file.flag(cmd)
	return cmd
}

// aboutPolicy is what "policy describe" tells of a policy.
type aboutPolicy struct {
	Name       string             `yaml:"name"`
	About      string             `yaml:"about"`
	Source     string             `yaml:"source"`
	Slurm      yaml.MapSlice      `yaml:"slurm.conf"`
	Parameters *policy.Parameters `yaml:"parameters,omitempty"`
	// Keys are in JSON alone. The text has them in words.
	Keys []settingKey `yaml:"keys,omitempty"`
}

// settingKey is a parameter of the agent that --set takes.
type settingKey struct {
	Key     string `yaml:"key"`
	Unit    string `yaml:"unit,omitempty"`
	Default string `yaml:"default"`
	Allowed string `yaml:"allowed"`
	About   string `yaml:"about"`
}

func settingKeys(p policy.Policy) []settingKey {
	var keys []settingKey
	for _, k := range p.Keys() {
		keys = append(keys, settingKey{k.Key, k.Unit, k.Default, k.Allowed, k.Help})
	}
	return keys
}

// keysText lists the keys of --set below the YAML of a policy, as its comment.
func keysText(p policy.Policy, width int) string {
	const mark = "# "
	keys := "\n"
	names, about := []string{"priority"}, []string{"order of the queue: " + faults.Or(priority.Types()) + "; here " + string(p.Priority)}
	for _, k := range p.Keys() {
		value := k.Default
		if k.Unit != "" {
			value += " " + k.Unit
		}
		names, about = append(names, k.Key), append(about, fmt.Sprintf("%s (default %s; %s)", k.Help, value, k.Allowed))
	}
	paragraphs := text.Wrap("Keys of --set, and of the settings in a campaign or policy file. Times are virtual. "+
		"Words of SchedulerParameters and lines of slurm.conf are keys as well (slurm.conf(5)).", "", width-len(mark)) + text.List(names, about, width-len(mark))
	for line := range strings.Lines(paragraphs) {
		keys += mark + line
	}
	return keys
}

// agentParameters is nil for a policy without an agent.
func agentParameters(p policy.Policy) *policy.Parameters {
	if !p.HasAgent() {
		return nil
	}
	return &p.Parameters
}

// slurmSettings are the lines of slurm.conf that a policy has of its own. Those of
// the scheduler are empty with an agent under which Slurm decides nothing.
func slurmSettings(p policy.Policy) yaml.MapSlice {
	var lines yaml.MapSlice
	add := func(name string, value any) { lines = append(lines, yaml.MapItem{Key: name, Value: value}) }
	if !p.HasAgent() || p.Scheduler.Type == conf.Backfill {
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
