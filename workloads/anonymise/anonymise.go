package anonymise

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Options say what becomes of columns otherwise than by themselves.
type Options struct {
	// Keep and Replace are names of columns, compared without case.
	Keep, Replace []string
	// SkipBad leaves out records that cannot be read and counts them.
	SkipBad bool
}

// Done is what [Jobs] did.
type Done struct {
	// Records were written, Skipped left out; Bad has the first of these.
	Records, Skipped int
	Bad              []string
	// Comments is the number of lines with comments that were left out.
	Comments int
	columns  []column
}

// column is one of the file.
type column struct {
	name  string
	does  treatment
	names *pseudonyms
	// values counts those that were replaced or cut.
	values int
}

// Jobs copies a workload.csv with any columns, or what "sacct -P" printed, and puts
// pseudonyms in the place of names. The error has all that is wrong with the file, or, if
// it is ErrWrite, what went wrong with out; what was written before it is worthless.
func Jobs(src records.Source, out io.Writer, key []byte, o Options) (Done, error) {
	a := anonymiser{name: src.Name, options: o, key: key, bad: faults.List{Name: src.Name}, out: bufio.NewWriterSize(out, 1<<16)}
	err := src.Read(nil, a.copy)
	a.done.Skipped, a.done.Bad = a.bad.Len(), a.bad.Texts()
	switch {
	case err != nil:
		return a.done, err
	case a.bad.Len() > 0 && !o.SkipBad:
		return a.done, a.bad.Err()
	case a.done.Records == 0:
		return a.done, fmt.Errorf("%s: records: got none, allowed at least one", src.Name)
	}
	if err := a.out.Flush(); err != nil {
		return a.done, fmt.Errorf("%w: %w", records.ErrWrite, err)
	}
	return a.done, nil
}

type anonymiser struct {
	name    string
	options Options
	key     []byte
	bad     faults.List
	out     *bufio.Writer
	done    Done
}

func (a *anonymiser) copy(in io.Reader) error {
	text := records.NewLines(a.name, in)
	header, err := text.Header()
	for ; err == nil && strings.HasPrefix(header, "#"); header, err = text.Header() {
		a.done.Comments++
	}
	if err != nil {
		return err
	}
	d, err := records.NewDump(text, header)
	switch {
	case err != nil || d.Table.Separator == ",":
		return a.copyCSV(header, text)
	case d.Table.Fixed():
		return fmt.Errorf("%s:%d: header: got a table of fixed width, allowed one with a separator (sacct -X -P), as values would be cut off", a.name, text.Number)
	}
	return a.copyDump(header, d)
}

func (a *anonymiser) copyDump(header string, d records.Dump) error {
	if err := a.setColumns(d.Table.Names, d.In.Number); err != nil {
		return err
	}
	a.write([]byte(header))
	return a.records(d.Record, d.Table.Separator, d.Table.End())
}

func (a *anonymiser) copyCSV(header string, text *records.Lines) error {
	names := strings.Split(header, ",")
	for i, name := range names {
		if !isColumn(name) || slices.Contains(names[:i], name) || len(names) == 1 {
			return fmt.Errorf("%s:%d: header: got %s, allowed the columns of a workload (CSV), or fields of sacct separated by '|' (sacct -X -P)",
				a.name, text.Number, faults.Quote(header))
		}
	}
	if err := a.setColumns(names, text.Number); err != nil {
		return err
	}
	a.write([]byte(a.done.comment()), []byte(header))
	return a.records(func() ([]string, int, error) {
		row, err := text.Next()
		if err != nil {
			return nil, text.Number, err
		}
		cells := strings.Split(string(row), ",")
		switch {
		case len(cells) != len(names):
			err = records.Bad(text.Number, "row", fmt.Sprintf("got %d columns", len(cells)), strconv.Itoa(len(names)))
		case bytes.IndexByte(row, '"') >= 0:
			err = records.Bad(text.Number, "row", `got a quotation mark (")`, "cells without one")
		}
		return cells, text.Number, err
	}, ",", "")
}

// isColumn says whether a column of a CSV file can be called so.
func isColumn(name string) bool {
	return name != "" && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// setColumns decides what becomes of each column.
func (a *anonymiser) setColumns(names []string, line int) error {
	var bad faults.List
	for _, name := range names {
		c := column{name: name, does: treatmentOf(name)}
		own := c.does.names()
		switch keeps, replaces := containsFold(a.options.Keep, name), containsFold(a.options.Replace, name); {
		case keeps && replaces:
			bad.Addf(0, "keep, replace: both have %s, allowed one", name)
		case keeps && c.does == keep:
			bad.Addf(0, "keep: %s has no effect, the column is kept by itself; leave it out", name)
		case replaces && own:
			bad.Addf(0, "replace: %s has no effect, the column is replaced by itself; leave it out", name)
		case keeps:
			c.does = keep
		case replaces:
			c.does = replace
		}
		if c.does.names() {
			c.names = &pseudonyms{kind: kindOf(name), key: a.key, known: map[string]string{}}
		}
		a.done.columns = append(a.done.columns, c)
	}
	for _, asked := range []struct {
		flag  string
		names []string
	}{{"keep", a.options.Keep}, {"replace", a.options.Replace}} {
		for _, name := range asked.names {
			if !containsFold(names, name) {
				bad.Addf(0, "%s: got %s, allowed columns of %s: %s", asked.flag, faults.Quote(name), a.name, strings.Join(names, ", "))
			}
		}
	}
	if len(names) > maxColumns {
		bad.Addf(0, "%s:%d: header: got %d columns, allowed %d", a.name, line, len(names), maxColumns)
	}
	return bad.Err()
}

// maxColumns is more than sacct has fields.
const maxColumns = 1000

func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

// records copies the records that next returns, each with the same end.
func (a *anonymiser) records(next func() ([]string, int, error), separator, end string) error {
	for {
		values, _, err := next()
		var fault *faults.Fault
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &fault):
			a.bad.Add(fault.Line, fault)
			continue
		case err != nil:
			return err
		}
		for i := range a.done.columns {
			values[i] = a.done.columns[i].value(values[i])
		}
		a.write([]byte(strings.Join(values, separator) + end))
		a.done.Records++
	}
}

// write writes lines. The writer keeps its first error for Flush.
func (a *anonymiser) write(parts ...[]byte) {
	for _, line := range parts {
		_, _ = a.out.Write(line)
		_ = a.out.WriteByte('\n')
	}
}

// value is what is written in the place of text. No value is no name, nor is the NodeList of a job that never started.
func (c *column) value(text string) string {
	switch {
	case c.does == keep || text == "" || text == records.NoNodes:
		return text
	case c.does == cutState:
		word, _, cut := strings.Cut(text, " ")
		if cut {
			c.values++
		}
		return word
	}
	c.values++
	switch c.does {
	case replace:
		return c.names.of(text)
	case replaceCounted:
		return c.names.counted(text)
	}
	separator := ","
	if strings.Contains(text, "&") {
		separator = "&"
	}
	list := strings.Split(text, separator)
	for i, name := range list {
		list[i] = c.names.of(name)
	}
	return strings.Join(list, separator)
}

// comment stands at the top of a workload.
func (a *Done) comment() string {
	var names []string
	for _, c := range a.columns {
		if c.names != nil {
			names = append(names, c.name)
		}
	}
	if len(names) == 0 {
		return "# anonymised: no column has names"
	}
	return "# anonymised: pseudonyms in " + strings.Join(names, ", ")
}

// Text has a line "what: how much" for all that a user must know.
func (a *Done) Text() []string {
	var replaced, kept, out []string
	for _, c := range a.columns {
		switch {
		case c.names != nil:
			more := ""
			if c.names.more {
				more = "more than "
			}
			replaced = append(replaced, fmt.Sprintf("%s (%d, %s%d)", c.name, c.values, more, len(c.names.known)))
		default:
			kept = append(kept, c.name)
		}
		if c.does == cutState && c.values > 0 {
			out = append(out, fmt.Sprintf("cut: who cancelled, behind the state (%d)", c.values))
		}
	}
	out = append(out, fmt.Sprintf("records: %d", a.Records))
	if a.Skipped > 0 {
		out = append(out, fmt.Sprintf("skipped: %d bad", a.Skipped))
	}
	if len(replaced) > 0 {
		out = append(out, "replaced (values, different names): "+strings.Join(replaced, ", "))
	}
	if len(kept) > 0 {
		out = append(out, "kept: "+strings.Join(kept, ", "))
	}
	if a.Comments > 0 {
		out = append(out, fmt.Sprintf("left out: comments at the top, which may have names (%d lines)", a.Comments))
	}
	return out
}
