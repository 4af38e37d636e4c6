package hosttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	// A rule stands below the heading of a table and is as wide as its columns, between which are two spaces or a line.
	rule   = regexp.MustCompile(`^\|? ?-[-: |]*$`)
	cell   = regexp.MustCompile(`\s*\|\s*|\s{2,}`)
	dashes = regexp.MustCompile(`-+`)
	// The unit at the end of a row's name follows from its values.
	unit = regexp.MustCompile(` (?:h|min|s)$`)
	// Decimal numbers, also with a colon as times of day have; and what has a unit that depends on the machine.
	decimal  = regexp.MustCompile(`(?m)(^|[^\w.])[-+−]?\d+[.:]\d+(?:[.:]\d+)*x?`)
	measured = regexp.MustCompile(`(?m)(^|[^\w.])\d+(?:\.\d+)?(?:(?:(?: ?(?:ms|min|s|h|kB|KiB|MB|MiB|GB|GiB)|x|d)(?:\d+(?:\.\d+)?(?:h|ms|m|s))*|m(?:\d+(?:\.\d+)?s)?)\b| ?%)`)
)

// Select is what a page shows of the output of a command.
func (o Output) Select(printed string) (string, error) {
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(printed, "\n"), "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	if len(o.Rows) == 0 {
		return strings.Join(lines, "\n") + "\n", nil
	}
	found := make([]bool, len(o.Rows))
	var tables []string
	for paragraph := range strings.SplitSeq(strings.Join(lines, "\n"), "\n\n") {
		if table := o.rows(paragraph, found); table != "" {
			tables = append(tables, table)
		}
	}
	if at := slices.Index(found, false); at >= 0 {
		return "", fmt.Errorf("no row of a table begins with %q:\n%s", o.Rows[at], printed)
	}
	return strings.Join(tables, "\n"), nil
}

// rows is a table with its heading and the rows that are asked for, which it notes; nothing if it has none of them.
func (o Output) rows(paragraph string, found []bool) string {
	lines := strings.Split(paragraph, "\n")
	heading := 1 + slices.IndexFunc(lines, rule.MatchString)
	if heading == 0 {
		return ""
	}
	kept := lines[:heading:heading]
	for _, line := range lines[heading:] {
		cells := cell.Split(strings.Trim(line, "| "), -1)
		at := slices.IndexFunc(o.Rows, func(name string) bool {
			for n := range cells {
				if row := strings.Join(cells[:n+1], " "); row == name || unit.ReplaceAllString(row, "") == name {
					return true
				}
			}
			return false
		})
		if at >= 0 {
			found[at] = true
			kept = append(kept, line)
		}
	}
	if len(kept) == heading {
		return ""
	}
	return strings.Join(kept, "\n") + "\n"
}

// Differ says how what a command prints, as Select has it, differs from what stands on the page; empty if it agrees.
func (o Output) Differ(printed string) string {
	if want, got := o.normal(o.Text), o.normal(printed); want != got {
		return fmt.Sprintf("the page has\n%s\nand its command prints\n%s\ncompared are\n%s\nand\n%s", o.Text, printed, want, got)
	}
	return ""
}

// normal is a text without what need not agree. Widths of columns need not where numbers need not.
func (o Output) normal(text string) string {
	text = strings.TrimRight(text, "\n")
	if !o.Shape && o.Any == nil {
		return text
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); rule.MatchString(line) {
			line = dashes.ReplaceAllString(line, "-")
		}
		lines = append(lines, line)
	}
	text = strings.Join(lines, "\n")
	if o.Any != nil {
		text = o.Any.ReplaceAllString(text, "...")
	}
	if o.Shape {
		text = measured.ReplaceAllString(text, "${1}SIZE")
		text = decimal.ReplaceAllString(text, "${1}NUMBER")
		for _, name := range o.Rows {
			// A row that the page asks for without its unit may have another one on another machine.
			text = regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(name)+` (?:h|min|s) `).ReplaceAllString(text, name+" TIME ")
		}
	}
	return text
}
