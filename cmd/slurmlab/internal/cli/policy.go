package cli

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/emulator"
)

func policyCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "List and describe policies",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(policyListCommand(s), policyDescribeCommand(s))
	return cmd
}

func policyListCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the policies, with a line about each",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := emulator.Policies()
			if err != nil {
				return err
			}
			lines := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
			for _, d := range all {
				if _, err := fmt.Fprintf(lines, "%s\t%s\n", d.Name, d.About); err != nil {
					return err
				}
			}
			return lines.Flush()
		},
	}
}

func policyDescribeCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:     "describe NAME",
		Short:   "Print a policy's settings as YAML, and the paper's section that they are from",
		Example: "  slurmlab policy describe ipsched",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := emulator.FindPolicy(args[0])
			if err != nil {
				return usage(err)
			}
			text, err := yaml.Marshal(struct {
				Name       emulator.Policy      `yaml:"name"`
				About      string               `yaml:"about"`
				Source     string               `yaml:"source"`
				Slurm      yaml.MapSlice        `yaml:"slurm.conf"`
				Parameters *emulator.Parameters `yaml:"parameters,omitempty"`
			}{d.Name, d.About, d.Source, slurmSettings(d), agentParameters(d)})
			if err != nil {
				return err
			}
			_, err = s.Stdout.Write(text)
			return err
		},
	}
}

// agentParameters is nil for a policy without an agent.
func agentParameters(d emulator.Description) *emulator.Parameters {
	if !d.Name.HasAgent() {
		return nil
	}
	return &d.Parameters
}

// slurmSettings are the lines of slurm.conf that a policy has of its own. Those of
// the scheduler are empty with an agent, under which Slurm decides nothing.
func slurmSettings(d emulator.Description) yaml.MapSlice {
	var lines yaml.MapSlice
	add := func(name string, value any) { lines = append(lines, yaml.MapItem{Key: name, Value: value}) }
	if !d.Name.HasAgent() {
		scheduler := lab.Scheduler(d.Name)
		add("SchedulerType", scheduler.Type())
		if parameters := scheduler.Parameters(); parameters != "" {
			add("SchedulerParameters", parameters)
		}
	}
	add("PriorityType", d.Priority.Plugin())
	for _, line := range d.Priority.Parameters() {
		name, text, _ := strings.Cut(line, "=")
		var value any = text
		if number, err := strconv.Atoi(text); err == nil {
			value = number
		}
		add(name, value)
	}
	return lines
}
