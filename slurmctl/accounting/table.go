package accounting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Table splits the lines of a table that sacct or sacctmgr printed with a header: with -P or -p and any --delimiter, or in columns of fixed width
// (print_fields_header in src/common/print_fields.c). The header shows which of both.
type Table struct {
	// Names are the header's, in its order.
	Names []string
	// Separator stands between two fields. It is empty in a table of fixed width.
	Separator string
	columns   []column
	// closed says that each line ends in the separator (-p).
	closed bool
	// widths has the width of each column, where widths are fixed.
	widths []int
}

// NewTable reads a header. free are columns, beside those of sacct that Slurm does not write itself, whose values may contain the separator. A table of
// fixed width also needs SetWidths.
func NewTable(header string, free ...string) (Table, error) {
	t := Table{Separator: separatorOf(header)}
	bare := strings.TrimSpace(header)
	switch {
	case t.Separator == "":
		return t, fmt.Errorf("header: got %s, allowed names of fields with a separator between them (sacct -X -P), or above a line of dashes", faults.Quote(header))
	case strings.TrimLeft(t.Separator, " ") == "":
		t.Separator, t.Names = "", strings.Fields(bare)
	default:
		whole := strings.TrimSuffix(header, t.Separator)
		t.closed = whole != header
		t.Names = strings.Split(whole, t.Separator)
	}
	for i, name := range t.Names {
		t.Names[i] = strings.Trim(strings.TrimSpace(name), `"`)
		t.columns = append(t.columns, columnOf(t.Names[i], t.Separator, free))
	}
	return t, nil
}

// separatorOf is what stands behind the first name of a header, up to the next one.
func separatorOf(header string) string {
	header = strings.ReplaceAll(strings.TrimSpace(header), `"`, "")
	rest := strings.TrimLeftFunc(header, isNameRune)
	if rest == header {
		return ""
	}
	next := strings.IndexFunc(rest, isNameRune)
	if next < 0 {
		next = len(rest)
	}
	return rest[:next]
}

func isNameRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// Fixed says whether the columns have fixed widths, which the second line tells.
func (t *Table) Fixed() bool { return t.Separator == "" }

// SetWidths takes the line of dashes below the header.
func (t *Table) SetWidths(dashes string) error {
	fields := strings.Fields(dashes)
	if len(fields) != len(t.Names) || strings.Trim(dashes, "- ") != "" {
		return fmt.Errorf("got %s, allowed %d rows of dashes below the header of a table of fixed width, or another separator (sacct -X -P)", faults.Quote(dashes), len(t.Names))
	}
	for _, f := range fields {
		t.widths = append(t.widths, len(f))
	}
	return nil
}

// OpenEnd says whether the value of the last column may go on in a further line.
func (t *Table) OpenEnd() bool {
	return !t.Fixed() && !t.closed && t.columns[len(t.columns)-1].text
}

// Complete says whether a line has all fields.
func (t *Table) Complete(line string) bool {
	return t.Fixed() || strings.Count(line, t.Separator) >= t.separators()
}

// End is what a line has behind its last field.
func (t *Table) End() string {
	if t.closed {
		return t.Separator
	}
	return ""
}

// separators is their number in a line.
func (t *Table) separators() int {
	if t.closed {
		return len(t.Names)
	}
	return len(t.Names) - 1
}

// Allowed says how many fields a line has.
func (t *Table) Allowed() string {
	return fmt.Sprintf("%d separated by '%s'", len(t.Names), strings.Trim(faults.Quote(t.Separator), `"`))
}

// Bounds for a broken line, of which each reading is tried: the separators inside of its values, the separators in a list, and all tries.
const (
	mostSpare = 1000
	mostItems = 100
	mostTries = 20_000_000
)

// Fields returns the fields of a line. Values that users and administrators write may contain the separator: they get what is left when every other
// column has a value that Slurm can have printed. The error is a *faults.Fault without a line.
func (t *Table) Fields(line string) ([]string, error) {
	if t.Fixed() {
		return t.cut(line), nil
	}
	parts := t.split(line)
	n := len(t.columns)
	if len(parts) == n {
		return parts, nil
	}
	bad := &faults.Fault{Field: "fields", Problem: fmt.Sprintf("got %d", len(parts)), Allowed: t.Allowed()}
	if spare := len(parts) - n; spare < 0 || spare > mostSpare || n*spare*spare > mostTries {
		return nil, bad
	}
	fields, ways := t.align(parts)
	switch ways {
	case 1:
		return fields, nil
	case 0:
		return nil, bad
	}
	bad.Allowed += " (the values of " + strings.Join(t.texts(), " and ") + " may have more; sacct --delimiter gives a separator that no value has)"
	return nil, bad
}

// texts are the names of the columns whose values may contain the separator.
func (t *Table) texts() []string {
	var names []string
	for i, c := range t.columns {
		if c.many {
			names = append(names, t.Names[i])
		}
	}
	return names
}

// split cuts a line at its separators. Programs that write commas, semicolons or tabs put values with such in double quotes.
func (t *Table) split(line string) []string {
	if t.closed {
		line = strings.TrimSuffix(line, t.Separator)
	}
	if !strings.Contains(line, `"`) || !strings.Contains(",;\t", t.Separator) {
		return strings.Split(line, t.Separator)
	}
	var parts []string
	for {
		value, rest, quoted := t.quoted(line)
		if !quoted {
			var more bool
			if value, rest, more = strings.Cut(line, t.Separator); !more {
				return append(parts, value)
			}
		} else if rest == "" {
			return append(parts, value)
		} else {
			rest = rest[len(t.Separator):]
		}
		parts, line = append(parts, value), rest
	}
}

// quoted reads a value in double quotes, behind which the line ends or the separator follows.
func (t *Table) quoted(line string) (value, rest string, ok bool) {
	if !strings.HasPrefix(line, `"`) {
		return "", "", false
	}
	for end := 1; ; end++ {
		next := strings.IndexByte(line[end:], '"')
		if next < 0 {
			return "", "", false
		}
		end += next
		if strings.HasPrefix(line[end+1:], `"`) {
			end++
			continue
		}
		rest = line[end+1:]
		return strings.ReplaceAll(line[1:end], `""`, `"`), rest, rest == "" || strings.HasPrefix(rest, t.Separator)
	}
}

// align gives each column one part of a line, or several where its values may contain the separator. ways counts the possibilities, up to two.
func (t *Table) align(parts []string) (fields []string, ways int) {
	n, spare := len(t.columns), len(parts)-len(t.columns)
	join := func(j, from, count int) string { return strings.Join(parts[j+from:j+from+count+1], t.Separator) }
	// possible[j][o] is the number of ways for the columns from j on, where the earlier ones have taken o parts more than their number.
	possible := make([][]int, n+1)
	possible[n] = make([]int, spare+1)
	possible[n][spare] = 1
	// takes says whether column j can have count parts more than one.
	takes := func(j, from, count int) bool {
		c := t.columns[j]
		return possible[j+1][from+count] > 0 && (c.check == nil || c.check(join(j, from, count)))
	}
	for j := n - 1; j >= 0; j-- {
		possible[j] = make([]int, spare+1)
		for from := range spare + 1 {
			for count := 0; count <= min(spare-from, t.columns[j].spare()) && possible[j][from] < 2; count++ {
				if takes(j, from, count) {
					possible[j][from] = min(2, possible[j][from]+possible[j+1][from+count])
				}
			}
		}
	}
	if ways = possible[0][0]; ways != 1 {
		return nil, ways
	}
	from := 0
	for j := range n {
		count := 0
		for !takes(j, from, count) {
			count++
		}
		fields = append(fields, join(j, from, count))
		from += count
	}
	return fields, ways
}

// cut slices a line of fixed width.
func (t *Table) cut(line string) []string {
	fields := make([]string, len(t.widths))
	for i, width := range t.widths {
		end := min(len(line), width)
		fields[i] = strings.TrimSpace(line[:end])
		line = line[min(len(line), width+1):]
	}
	return fields
}

// IsCut says whether a field of a table of fixed width is only the beginning of a value: print_fields_str ends it in + then.
func (t *Table) IsCut(i int, field string) bool {
	return t.Fixed() && len(field) == t.widths[i] && strings.HasSuffix(field, "+")
}

// Index is the position of a column whose name is compared without case, as sacct does, or -1.
func (t *Table) Index(name string) int {
	return slices.IndexFunc(t.Names, func(h string) bool { return strings.EqualFold(h, name) })
}
