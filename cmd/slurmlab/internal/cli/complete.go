package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/profile"
)

// completions lists what may stand at the cursor, each with a line about it
// (cobra.CompletionWithDesc), for the word that has begun there. args are the arguments
// before it. What does not begin with the word is left out by the caller.
type completions func(cmd *cobra.Command, args []string, begun string) []cobra.Completion

// cobra is the list as cobra wants it. A directory ends in a slash, a key in "=", and no space
// follows either.
func (list completions) cobra(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var fit []cobra.Completion
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	for _, c := range list(cmd, args, begun) {
		if !strings.HasPrefix(c, begun) {
			continue
		}
		fit = append(fit, c)
		if word, _, _ := strings.Cut(c, "\t"); !strings.HasSuffix(word, "/") && !strings.HasSuffix(word, "=") {
			directive = cobra.ShellCompDirectiveNoFileComp
		}
	}
	return fit, directive
}

// ofWords completes one of the words.
func ofWords[T ~string](words ...T) completions {
	return func(*cobra.Command, []string, string) []cobra.Completion {
		list := make([]cobra.Completion, len(words))
		for i, w := range words {
			list[i] = string(w)
		}
		return list
	}
}

// choice is a word of a few that tell about themselves.
type choice interface {
	~string
	About() string
}

// ofChoices completes one of the words that tell about themselves.
func ofChoices[T choice](choices ...T) completions {
	return func(*cobra.Command, []string, string) []cobra.Completion {
		list := make([]cobra.Completion, len(choices))
		for i, c := range choices {
			list[i] = cobra.CompletionWithDesc(string(c), c.About())
		}
		return list
	}
}

// and completes what one of two lists has.
func (list completions) and(other completions) completions {
	return func(cmd *cobra.Command, args []string, begun string) []cobra.Completion {
		return append(list(cmd, args, begun), other(cmd, args, begun)...)
	}
}

// first completes the first argument only.
func (list completions) first() completions {
	return func(cmd *cobra.Command, args []string, begun string) []cobra.Completion {
		if len(args) > 0 {
			return nil
		}
		return list(cmd, args, begun)
	}
}

// separated completes the last of several words with commas between them, none twice.
func (list completions) separated() completions {
	return func(cmd *cobra.Command, args []string, begun string) []cobra.Completion {
		comma := strings.LastIndexByte(begun, ',') + 1
		there := strings.Split(begun[:comma], ",")
		var out []cobra.Completion
		for _, c := range list(cmd, args, begun[comma:]) {
			if word, _, _ := strings.Cut(c, "\t"); !slices.Contains(there, word) {
				out = append(out, begun[:comma]+c)
			}
		}
		return out
	}
}

func ofPolicies(*cobra.Command, []string, string) []cobra.Completion {
	all, err := policy.All()
	if err != nil {
		return nil
	}
	var list []cobra.Completion
	for _, p := range all {
		list = append(list, cobra.CompletionWithDesc(p.Name, p.About))
	}
	return list
}

func ofMachines() completions {
	return completions(func(*cobra.Command, []string, string) []cobra.Completion {
		var list []cobra.Completion
		for _, name := range workloads.MachineNames() {
			if m, err := workloads.LoadMachine(name); err == nil {
				list = append(list, cobra.CompletionWithDesc(name,
					fmt.Sprintf("%d nodes of %d cores and %d GPUs", m.Nodes, m.Cores, m.GPUs)))
			}
		}
		return list
	}).and(ofFiles(workloads.MachineEndings()...))
}

func ofWorkloads() completions {
	return completions(func(*cobra.Command, []string, string) []cobra.Completion {
		var list []cobra.Completion
		for _, b := range workloads.Builtins() {
			list = append(list, cobra.CompletionWithDesc(b.Name, b.About))
		}
		return list
	}).and(ofFiles(workloads.Endings()...))
}

// alternatives lists words with what they tell about themselves: "a (about a) or b (about b)".
func alternatives[T choice](choices []T) string {
	told := make([]string, len(choices))
	for i, c := range choices {
		told[i] = fmt.Sprintf("%s (%s)", c, c.About())
	}
	return faults.Or(told)
}

// completionLimit bounds a question to the Docker engine while somebody types.
const completionLimit = time.Second

// ofCores completes the value of --core.
func ofCores(s *State) completions {
	words := []cobra.Completion{
		cobra.CompletionWithDesc(campaign.CoreAuto, "a free core, waited for"),
		cobra.CompletionWithDesc(campaign.CoreNone, "all cores, shared with everything else"),
	}
	return func(*cobra.Command, []string, string) []cobra.Completion {
		ctx, cancel := context.WithTimeout(s.Context, completionLimit)
		defer cancel()
		list := slices.Clone(words)
		// Without Docker the numbers are not known.
		numbers, _ := run.Cores(ctx, run.Docker{})
		for _, n := range numbers {
			list = append(list, cobra.CompletionWithDesc(strconv.Itoa(n), "this core, even if another cluster has it"))
		}
		return list
	}
}

// ofClusters completes the name of a cluster that "up" started.
func ofClusters(s *State) completions {
	return func(*cobra.Command, []string, string) []cobra.Completion {
		ctx, cancel := context.WithTimeout(s.Context, completionLimit)
		defer cancel()
		// Without Docker there are none.
		clusters, _ := run.Containers(ctx, slurm.RoleUp, "")
		var list []cobra.Completion
		for _, c := range clusters {
			list = append(list, cobra.CompletionWithDesc(c.Name, fmt.Sprintf("%s since %s", c.State, c.Created.Format(time.DateTime))))
		}
		return list
	}
}

// namedPolicies are those of --policy or --policies, as far as they are typed.
func namedPolicies(cmd *cobra.Command) []string {
	if name, err := cmd.Flags().GetString("policy"); err == nil {
		return []string{name}
	}
	// A command with neither has no settings.
	names, _ := cmd.Flags().GetStringSlice("policies")
	return names
}

// ofClasses completes a class of jobs of the workload.
func (e *experiment) ofClasses(*cobra.Command, []string, string) []cobra.Completion {
	p, err := e.load()
	if err != nil {
		return nil
	}
	var list []cobra.Completion
	for _, c := range profile.Summarise(p.Machine, p.Jobs).Classes {
		list = append(list, cobra.CompletionWithDesc(c.Class, fmt.Sprintf("%d jobs", c.Jobs)))
	}
	return list
}
