package workloads

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxReported bounds the faults of one error. A list of jobs made for another
// machine has one fault in nearly every line; those that are left out are
// counted.
const maxReported = 20

// fault is one broken rule: the field, what is wrong with it and what is
// allowed there.
type fault struct {
	field   string
	problem string
	allowed string
}

func (f fault) String() string {
	return f.field + ": " + f.problem + ", allowed " + f.allowed
}

// got is the problem of a field that has an unwanted value.
func got(value any) string {
	if text, ok := value.(string); ok {
		return "got " + Quote(text)
	}
	return fmt.Sprintf("got %v", value)
}

// between is the text of a range of whole numbers, both ends allowed.
func between(low, high int) string {
	return strconv.Itoa(low) + ".." + strconv.Itoa(high)
}

// outside returns a fault when value is not in low..high.
func outside(field string, value, low, high int) []fault {
	if value >= low && value <= high {
		return nil
	}
	return []fault{{field: field, problem: got(value), allowed: between(low, high)}}
}

// Quote shows user input safely: control characters escaped, long text cut.
func Quote(text string) string {
	const longest = 40
	if len(text) <= longest {
		return strconv.Quote(text)
	}
	return strconv.Quote(text[:longest]) + "..."
}

// report collects the faults of one input.
type report struct {
	name    string
	entries []entry
}

type entry struct {
	line int
	text string
}

// add notes a fault; line 0 means that the fault has no line.
func (r *report) add(line int, text string) {
	r.entries = append(r.entries, entry{line: line, text: text})
}

// err returns nil without faults, else one error with one line per fault in
// the order of the input's lines.
func (r *report) err() error {
	if len(r.entries) == 0 {
		return nil
	}
	entries := slices.Clone(r.entries)
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.line, b.line) })
	var out strings.Builder
	for i, e := range entries {
		if i == maxReported {
			fmt.Fprintf(&out, "\n%s: %d more faults", r.name, len(entries)-maxReported)
			break
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(r.name)
		if e.line > 0 {
			fmt.Fprintf(&out, ":%d", e.line)
		}
		out.WriteString(": " + e.text)
	}
	return errors.New(out.String())
}
