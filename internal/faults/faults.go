package faults

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Most bounds the faults of one error. A file in the wrong format has a fault in
// nearly every line, and the first ones say it all.
const Most = 20

// Fault is one broken rule of an input. Two faults with the same fields are the same one.
type Fault struct {
	// File and Line, from 1, say where it is; they are empty where its List says so, and where it
	// has no position.
	File string
	Line int
	// Of is what the field is of by the name that people know, such as the nodes of a group; "" for
	// nothing.
	Of string
	// Field is the name or path of the value, such as "groups[1].count", "" for the whole line.
	Field string
	// Problem is what is wrong, such as "got 0", and Allowed what is allowed there.
	Problem, Allowed string
}

// Error implements error. The text has no position: the List that a fault is added to puts it first.
func (f Fault) Error() string {
	switch {
	case f.Field == "" && f.Allowed == "":
		return f.Problem
	case f.Field == "":
		return f.Problem + ", allowed " + f.Allowed
	case f.Problem == "":
		return f.Field + ": allowed " + f.Allowed
	}
	return f.Field + ": " + f.Problem + ", allowed " + f.Allowed
}

// List is what is wrong with one input. The zero value is an empty list of an
// input without a name.
type List struct {
	// Name of the input, before each fault; "" for none.
	Name    string
	entries []entry
	count   int
}

type entry struct {
	line int
	err  error
}

// Add notes a fault in a line, from 1; 0 means that the fault has no line.
func (l *List) Add(line int, fault error) {
	l.count++
	at, _ := slices.BinarySearchFunc(l.entries, line, func(e entry, line int) int {
		if e.line <= line {
			return -1
		}
		return 1
	})
	if at == Most {
		return
	}
	l.entries = slices.Insert(l.entries, at, entry{line: line, err: fault})
	l.entries = l.entries[:min(len(l.entries), Most)]
}

// Addf is Add with a text made by fmt.Errorf.
func (l *List) Addf(line int, format string, args ...any) { l.Add(line, fmt.Errorf(format, args...)) }

// Len is the number of faults.
func (l *List) Len() int { return l.count }

// Texts are the first faults, each with its position before it.
func (l *List) Texts() []string {
	texts := make([]string, len(l.entries))
	for i, e := range l.entries {
		texts[i] = l.at(e).Error()
	}
	return texts
}

// Err is nil without faults, else one error with a line for each, such as
// "jobs.csv:7: cores: got 0, allowed 1..256".
func (l *List) Err() error {
	var all []error
	for _, e := range l.entries {
		all = append(all, l.at(e))
	}
	switch more := l.count - len(l.entries); {
	case more > 0 && l.Name == "":
		all = append(all, fmt.Errorf("and %d more faults", more))
	case more > 0:
		all = append(all, fmt.Errorf("%s: %d more faults", l.Name, more))
	}
	return errors.Join(all...)
}

// Join is one error of faults of several files, in the order of the files' first faults, as Err of a List for each.
func Join(all []Fault) error {
	byFile := map[string]*List{}
	var lists []*List
	for _, f := range all {
		if byFile[f.File] == nil {
			byFile[f.File] = &List{Name: f.File}
			lists = append(lists, byFile[f.File])
		}
		byFile[f.File].Add(f.Line, f)
	}
	errs := make([]error, len(lists))
	for i, l := range lists {
		errs[i] = l.Err()
	}
	return errors.Join(errs...)
}

// at puts the where of a fault before it.
func (l *List) at(e entry) error {
	where := l.Name
	if e.line > 0 {
		where += ":" + strconv.Itoa(e.line)
	}
	if where == "" {
		return e.err
	}
	return fmt.Errorf("%s: %w", where, e.err)
}
