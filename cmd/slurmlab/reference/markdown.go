package main

import (
	"fmt"
	"regexp"
	"strings"
)

// writer puts a page of Markdown together.
type writer struct{ strings.Builder }

// newPage begins a page.
func newPage(title, about string) *writer {
	w := &writer{}
	w.line("# " + title)
	w.line("")
	w.paragraph(about + " This page is written by `make reference` from the code of slurmlab, and a test compares both.")
	return w
}

func (w *writer) line(text string) { w.WriteString(text + "\n") }

// paragraph writes a paragraph, or a list or a table that stands as it is.
func (w *writer) paragraph(text string) {
	w.line(text)
	w.line("")
}

func (w *writer) heading(level int, text string) {
	w.paragraph(strings.Repeat("#", level) + " " + text)
}

// verbatim writes a block of code. It has no language, so that no test takes the examples of
// a help for commands of a page.
func (w *writer) verbatim(text string) {
	w.line("```text")
	w.line(strings.TrimRight(strings.ReplaceAll(text, "\t", "  "), "\n"))
	w.paragraph("```")
}

// table writes a table. Columns that are empty in all rows are left out.
func (w *writer) table(head []string, rows [][]string) {
	var used []int
	for i := range head {
		for _, row := range rows {
			if row[i] != "" {
				used = append(used, i)
				break
			}
		}
	}
	line := func(cells []string) {
		var of []string
		for _, i := range used {
			of = append(of, strings.ReplaceAll(cells[i], "|", `\|`))
		}
		w.line("| " + strings.Join(of, " | ") + " |")
	}
	line(head)
	w.line("|" + strings.Repeat("---|", len(used)))
	for _, row := range rows {
		line(row)
	}
	w.line("")
}

// bytes is the page with one line feed at its end.
func (w *writer) bytes() []byte { return []byte(strings.TrimRight(w.String(), "\n") + "\n") }

// code is a word as it is typed, and nothing for an empty one.
func code(word string) string {
	if word == "" {
		return ""
	}
	return "`" + word + "`"
}

// text is a sentence of a help: what would mean something in Markdown means itself, and a
// page of docs is linked.
func text(sentence string) string {
	sentence = regexp.MustCompile(`([*<\[\]~\\])`).ReplaceAllString(sentence, `\$1`)
	return regexp.MustCompile(`docs/([\w/-]+\.md)`).ReplaceAllString(sentence, "[docs/$1](../$1)")
}

// anchor is the one that forges give a heading of letters, digits and spaces.
func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

// described pairs names with what they mean. A name without a meaning, and a meaning without
// a name, are faults: the code has changed, and its words have not.
func described(of string, names []string, meanings map[string]string) ([][]string, error) {
	var rows [][]string
	seen := map[string]bool{}
	for _, name := range names {
		if meanings[name] == "" {
			return nil, fmt.Errorf("%s: %q has no meaning in package reference; say what it is", of, name)
		}
		seen[name] = true
		rows = append(rows, []string{code(name), meanings[name]})
	}
	for name := range meanings {
		if !seen[name] {
			return nil, fmt.Errorf("%s: %q has a meaning in package reference, and is gone", of, name)
		}
	}
	return rows, nil
}
