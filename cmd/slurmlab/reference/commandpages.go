package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
)

// commandPages has a page for each purpose of commands, as "slurmlab --help" groups them.
func commandPages(root *cobra.Command) map[string][]byte {
	pages := map[string][]byte{}
	for _, group := range cli.CommandGroups(root) {
		w := newPage("Commands: "+group.Heading, "What `--help` says of each command, with all flags.")
		var list []Command
		for _, cmd := range group.Commands {
			list = append(list, Commands(cmd)...)
		}
		var rows [][]string
		for _, c := range list {
			rows = append(rows, []string{fmt.Sprintf("[`%s`](#%s)", c.Path, anchor(c.Path)), text(c.Short)})
		}
		w.table([]string{"command", "what it does"}, rows)
		for _, c := range list {
			c.markdown(w)
		}
		pages["commands-"+strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(group.Heading))+".md"] = w.bytes()
	}
	return pages
}

// markdown is the part of a page that is about one command.
func (c Command) markdown(w *writer) {
	w.heading(2, c.Path)
	w.verbatim(c.Usage)
	if len(c.Text) == 0 {
		w.paragraph(text(c.Short) + ".")
	}
	for _, p := range c.Text {
		if p.Literal {
			w.verbatim(p.Text)
		} else {
			w.paragraph(text(p.Text))
		}
	}
	if c.Examples != "" {
		w.paragraph("For example:")
		w.verbatim(c.Examples)
	}
	for _, g := range c.Groups {
		var rows [][]string
		for _, f := range g.Flags {
			if f.Name == "help" || f.Name == "help-all" {
				continue
			}
			name := "--" + f.Name
			if f.Short != "" {
				name = "-" + f.Short + ", " + name
			}
			rows = append(rows, []string{code(name), f.Value, text(f.Text), code(f.Default)})
		}
		if len(rows) == 0 {
			continue
		}
		if len(c.Groups) > 1 {
			w.paragraph("**" + g.Heading + "**")
		}
		w.table([]string{"flag", "value", "meaning", "default"}, rows)
	}
}

// exitCodes is the page of what commands leave to the shell.
func exitCodes() []byte {
	w := newPage("Exit codes", "What a command leaves to the shell that called it.")
	var rows [][]string
	for _, e := range cli.ExitCodes() {
		rows = append(rows, []string{code(fmt.Sprint(e.Code)), e.Meaning})
	}
	w.table([]string{"code", "when"}, rows)
	w.paragraph("`slurmlab shell -- COMMAND` passes on the exit code of the command that it ran in the cluster.")
	w.paragraph("Standard output has the result and nothing else. Progress, warnings and errors go to standard error; an error begins " +
		"with `slurmlab: `, and one about a file has the file, the line and the field.")
	return w.bytes()
}
