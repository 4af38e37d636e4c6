package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
)

// Command is what the help of a command says.
type Command struct {
	// Path is how it is called: "slurmlab campaign run".
	Path  string
	Short string
	// Usage is the call with its arguments: "slurmlab campaign run FILE [flags]".
	Usage    string
	Text     []Paragraph
	Examples string
	Groups   []Group
	// Parent and Below are the paths of the commands above and below it.
	Parent string
	Below  []string
}

// Paragraph is a part of a text. One that is literal is kept line by line, as a list or a
// table is.
type Paragraph struct {
	Text    string
	Literal bool
}

// Group is the flags below one heading.
type Group struct {
	Heading string
	Flags   []Flag
}

// Flag is one flag; Short, Value and Default may be empty.
type Flag struct {
	Name, Short, Value, Text, Default string
}

// file is the name of the page of a command, without its ending.
func file(path string) string { return strings.ReplaceAll(path, " ", "-") }

// Commands lists a command and those below it that a help lists, each before those below it.
func Commands(cmd *cobra.Command) []Command {
	c := Command{
		Path: cmd.CommandPath(), Short: cmd.Short, Usage: cmd.UseLine(), Text: paragraphs(cmd.Long),
		Examples: outdented(cmd.Example),
	}
	if cmd.HasParent() {
		c.Parent = cmd.Parent().CommandPath()
	}
	for _, g := range cli.FlagGroups(cmd) {
		group := Group{Heading: g.Heading}
		g.Flags.VisitAll(func(f *pflag.Flag) { group.Flags = append(group.Flags, flagOf(f)) })
		c.Groups = append(c.Groups, group)
	}
	list := []Command{c}
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			list[0].Below = append(list[0].Below, below.CommandPath())
			list = append(list, Commands(below)...)
		}
	}
	if len(list[0].Below) > 0 {
		list[0].Usage = c.Path + " COMMAND"
	}
	return list
}

func flagOf(f *pflag.Flag) Flag {
	value, text := pflag.UnquoteUsage(f)
	flag := Flag{Name: f.Name, Short: f.Shorthand, Value: value, Text: text}
	switch f.DefValue {
	case "", "0", "0s", "[]", "false":
		// Nothing is set, as pflag's own help has it.
	default:
		flag.Default = f.DefValue
	}
	return flag
}

// paragraphs divides a text of a help. What is indented in it is literal.
func paragraphs(text string) []Paragraph {
	var list []Paragraph
	for part := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if part == "" {
			continue
		}
		literal := strings.Contains("\n"+part, "\n ") || strings.Contains("\n"+part, "\n\t")
		if !literal {
			part = strings.Join(strings.Fields(part), " ")
		}
		list = append(list, Paragraph{Text: part, Literal: literal})
	}
	return list
}

// outdented takes away the indentation that all lines share.
func outdented(text string) string {
	const indent = "  "
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, indent)
	}
	return strings.Join(lines, "\n")
}
