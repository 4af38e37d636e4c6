package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// section is that of commands of users.
const section = 1

// Man writes a manual page for each command, by file name: slurmlab-run.1. The version
// stands at the foot of each.
func Man(commands []Command, version string) map[string][]byte {
	pages := map[string][]byte{}
	for _, c := range commands {
		pages[fmt.Sprintf("%s.%d", file(c.Path), section)] = md2man.Render([]byte(c.man(version)))
	}
	return pages
}

// man is the page in the Markdown that md2man reads.
func (c Command) man(version string) string {
	var b strings.Builder
	name := file(c.Path)
	fmt.Fprintf(&b, "%% %q %q %q %q %q\n\n", strings.ToUpper(name), fmt.Sprint(section), "", "slurmlab "+version, "slurmlab")
	heading := func(text string) { fmt.Fprintf(&b, "# %s\n\n", strings.ToUpper(text)) }
	heading("name")
	fmt.Fprintf(&b, "%s - %s\n\n", name, escaped(c.Short))
	heading("synopsis")
	fmt.Fprintf(&b, "**%s**%s\n\n", c.Path, escaped(strings.TrimPrefix(c.Usage, c.Path)))
	if len(c.Text) > 0 {
		heading("description")
	}
	for _, p := range c.Text {
		if p.Literal {
			b.WriteString(verbatim(p.Text))
		} else {
			b.WriteString(escaped(p.Text) + "\n\n")
		}
	}
	for _, g := range c.Groups {
		heading(g.Heading)
		for _, f := range g.Flags {
			fmt.Fprintf(&b, "%s\n:   %s\n\n", f.term(), escaped(f.meaning()))
		}
	}
	if c.Examples != "" {
		heading("examples")
		b.WriteString(verbatim(c.Examples))
	}
	heading("see also")
	b.WriteString(c.seeAlso() + "\n")
	return b.String()
}

// seeAlso names the pages of the commands above and below.
func (c Command) seeAlso() string {
	var pages []string
	if c.Parent != "" {
		pages = append(pages, c.Parent)
	}
	pages = append(pages, c.Below...)
	for i, path := range pages {
		pages[i] = fmt.Sprintf("**%s**(%d)", file(path), section)
	}
	return strings.Join(pages, ", ")
}

// term is the flag as it is typed.
func (f Flag) term() string {
	text := "**--" + f.Name + "**"
	if f.Short != "" {
		text = "**-" + f.Short + "**, " + text
	}
	if f.Value != "" {
		text += " *" + f.Value + "*"
	}
	return text
}

// meaning is what the help says of the flag, with its default.
func (f Flag) meaning() string {
	if f.Default == "" {
		return f.Text
	}
	return fmt.Sprintf("%s (default %s)", f.Text, f.Default)
}

// escaped has a text mean itself in Markdown.
func escaped(text string) string {
	return regexp.MustCompile("([\\\\`*_{}\\[\\]<>#|~])").ReplaceAllString(text, `\$1`)
}

// verbatim is a block of code in Markdown.
func verbatim(text string) string {
	return "    " + strings.ReplaceAll(strings.ReplaceAll(text, "\t", "  "), "\n", "\n    ") + "\n\n"
}
