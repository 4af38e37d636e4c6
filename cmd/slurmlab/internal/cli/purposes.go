package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// purpose is what people do with some of the commands: a heading of "slurmlab --help", and a
// page of the reference.
type purpose struct {
	title    string
	commands []string
}

// purposes are in the order in which the help has them. Commands that none names stand below
// a last heading.
func purposes() []purpose {
	return []purpose{
		{"Run and compare", []string{"run", "compare", "campaign", "whatif", "paper", "djsb"}},
		{"Look at results", []string{"metrics", "report", "serve", "explain", "twin", "export", "archive"}},
		{"Play with a cluster", []string{"up", "top", "status", "shell", "down"}},
		{"Describe machines, jobs and schedulers", []string{"machine", "workload", "policy", "plugin"}},
		{"This installation", []string{"doctor", "image", "version", "glossary", "completion", "dev"}},
	}
}

// group puts the commands below their purposes.
func group(cmd *cobra.Command) {
	for _, p := range purposes() {
		cmd.AddGroup(&cobra.Group{ID: p.title, Title: p.title})
		for _, below := range cmd.Commands() {
			if slices.Contains(p.commands, below.Name()) {
				below.GroupID = p.title
			}
		}
	}
}

// CommandGroup is the commands below one heading of a help.
type CommandGroup struct {
	Heading  string
	Commands []*cobra.Command
}

// CommandGroups are the commands that a help lists, below its headings: of slurmlab by
// purpose, and in the order in which they are used.
func CommandGroups(cmd *cobra.Command) []CommandGroup {
	var groups []CommandGroup
	for _, g := range cmd.Groups() {
		groups = append(groups, CommandGroup{g.Title, below(cmd, g.ID)})
	}
	for _, p := range purposes() {
		at := slices.IndexFunc(groups, func(g CommandGroup) bool { return g.Heading == p.title })
		if at < 0 {
			continue
		}
		slices.SortFunc(groups[at].Commands, func(a, b *cobra.Command) int {
			return slices.Index(p.commands, a.Name()) - slices.Index(p.commands, b.Name())
		})
	}
	if rest := below(cmd, ""); len(rest) > 0 {
		groups = append(groups, CommandGroup{"Commands", rest})
	}
	return groups
}

// below are the commands of a group that a help lists.
func below(cmd *cobra.Command, group string) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.GroupID == group && c.IsAvailableCommand() {
			list = append(list, c)
		}
	}
	return list
}
