package program

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// readMPS reads free MPS, and fixed MPS whose names have no spaces: fields are
// what spaces separate. It knows the sections NAME, OBJSENSE, ROWS, COLUMNS,
// RHS, RANGES, BOUNDS and ENDATA. As in HiGHS and glpsol, a whole variable
// without any bound lies between 0 and 1, and rows N after the first are left
// out. A row with a range becomes two.
func readMPS(name string, text []byte) (Program, error) {
	m := &mpsReader{rows: map[string]int{}, variables: map[string]int{}}
	line := 0
	for raw := range bytes.Lines(text) {
		line++
		if err := m.line(strings.TrimRight(string(raw), "\r\n")); err != nil {
			return Program{}, fault(name, line, err)
		}
		if m.section == "ENDATA" {
			p, err := m.finish()
			if err != nil {
				return Program{}, fault(name, line, err)
			}
			return p, nil
		}
	}
	return Program{}, fault(name, max(line, 1), errors.New("section ENDATA: it is missing"))
}

// freeRow stands for the index of a row of type N: the objective, or a row that is left
// out.
const freeRow = -1

type mpsReader struct {
	section string
	program Program
	// rows and variables are indices in the program, by name.
	rows, variables map[string]int
	objective       string
	whole           bool
	limits          []limits
	ranges          []Row
}

// limits says which bounds of a variable were given.
type limits struct{ lower, any bool }

// sections are the names of the sections, in the order in which they must come.
const sections = "NAME OBJSENSE ROWS COLUMNS RHS RANGES BOUNDS ENDATA"

func (m *mpsReader) line(text string) error {
	fields := strings.Fields(text)
	if len(fields) == 0 || text[0] == '*' {
		return nil
	}
	if text[0] != ' ' && text[0] != '\t' {
		return m.header(fields)
	}
	switch m.section {
	case "OBJSENSE":
		return m.sense(fields)
	case "ROWS":
		return m.row(fields)
	case "COLUMNS":
		return m.column(fields)
	case "RHS":
		return m.pairs(fields, m.rhs)
	case "RANGES":
		return m.pairs(fields, m.span)
	case "BOUNDS":
		return m.bound(fields)
	default:
		return fmt.Errorf("field 1: %.80q is in no section, want one of %s", fields[0], sections)
	}
}

func (m *mpsReader) header(fields []string) error {
	known := strings.Fields(sections)
	at, last := -1, -1
	for i, s := range known {
		if s == fields[0] {
			at = i
		}
		if s == m.section {
			last = i
		}
	}
	switch {
	case at < 0:
		return fmt.Errorf("field 1: section %.80q is unknown, want one of %s", fields[0], sections)
	case at <= last:
		return fmt.Errorf("field 1: section %s after %s, want the order %s", fields[0], m.section, sections)
	case at > 3 && last < 3:
		return fmt.Errorf("field 1: section %s without ROWS and COLUMNS before it", fields[0])
	}
	m.section = fields[0]
	if m.section == "NAME" && len(fields) > 1 {
		m.program.Name = fields[1]
		return checkName(fields[1])
	}
	if m.section == "OBJSENSE" && len(fields) > 1 {
		return m.sense(fields[1:])
	}
	return nil
}

func (m *mpsReader) sense(fields []string) error {
	switch fields[0] {
	case "MAX", "MAXIMIZE", "MAXIMISE":
		m.program.Maximise = true
	case "MIN", "MINIMIZE", "MINIMISE":
		m.program.Maximise = false
	default:
		return fmt.Errorf("field sense: %.80q is not allowed, want MAX or MIN", fields[0])
	}
	return nil
}

func (m *mpsReader) row(fields []string) error {
	if len(fields) != 2 {
		return fmt.Errorf("row: %d fields, want a type and a name", len(fields))
	}
	kind, name := fields[0], fields[1]
	if err := checkName(name); err != nil {
		return err
	}
	if _, known := m.rows[name]; known {
		return fmt.Errorf("field name: row %s is there twice", name)
	}
	senses := map[string]Sense{"L": AtMost, "G": AtLeast, "E": Equal}
	sense, known := senses[kind]
	switch {
	case kind == "N":
		m.rows[name] = freeRow
		if m.objective == "" {
			m.objective = name
		}
	case known:
		m.rows[name] = len(m.program.Rows)
		m.program.Rows = append(m.program.Rows, Row{Name: name, Sense: sense})
	default:
		return fmt.Errorf("field type: %.80q of row %s is not allowed, want N, L, G or E", kind, name)
	}
	return nil
}

func (m *mpsReader) column(fields []string) error {
	if len(fields) == 3 && fields[1] == "'MARKER'" {
		switch fields[2] {
		case "'INTORG'":
			m.whole = true
		case "'INTEND'":
			m.whole = false
		default:
			return fmt.Errorf("field 3: marker %.80s is not allowed, want 'INTORG' or 'INTEND'", fields[2])
		}
		return nil
	}
	if len(fields) != 3 && len(fields) != 5 {
		return fmt.Errorf("column: %d fields, want a variable and one or two pairs of row and number", len(fields))
	}
	name, last := fields[0], len(m.program.Variables)-1
	if at, known := m.variables[name]; !known {
		if err := checkName(name); err != nil {
			return err
		}
		last++
		m.variables[name] = last
		m.program.Variables = append(m.program.Variables, Variable{Name: name, Upper: math.Inf(1), Integer: m.whole})
		m.limits = append(m.limits, limits{})
	} else if at != last {
		return fmt.Errorf("field name: variable %s is there twice", name)
	}
	return m.eachPair(fields[1:], func(row string, value float64) error { return m.entry(last, row, value) })
}

// entry adds a coefficient of the last variable, so that the variables of each
// row ascend.
func (m *mpsReader) entry(variable int, name string, value float64) error {
	n, known := m.rows[name]
	switch {
	case !known:
		return fmt.Errorf("field row: %.80q is no row", name)
	case name == m.objective:
		if m.program.Variables[variable].Objective != 0 {
			return fmt.Errorf("field row: %s of %s is there twice", name, m.program.Variables[variable].Name)
		}
		m.program.Variables[variable].Objective = value
		return nil
	case n == freeRow || value == 0:
		return nil
	}
	r := &m.program.Rows[n]
	if len(r.Variables) > 0 && r.Variables[len(r.Variables)-1] == variable {
		return fmt.Errorf("field row: %s of %s is there twice", name, m.program.Variables[variable].Name)
	}
	r.Variables = append(r.Variables, variable)
	r.Coefficients = append(r.Coefficients, value)
	return nil
}

// pairs reads pairs of row and number behind the name of a set, which free
// format may leave out.
func (m *mpsReader) pairs(fields []string, use func(row string, value float64) error) error {
	if len(fields)%2 == 1 {
		fields = fields[1:]
	}
	if len(fields) != 2 && len(fields) != 4 {
		return fmt.Errorf("%s: %d fields, want one or two pairs of row and number", m.section, len(fields))
	}
	return m.eachPair(fields, use)
}

func (m *mpsReader) eachPair(fields []string, use func(row string, value float64) error) error {
	for i := 0; i < len(fields); i += 2 {
		value, err := readNumber(fields[i+1])
		if err == nil && !finite(value) {
			err = fmt.Errorf("field number: %s is not allowed, want a finite number", fields[i+1])
		}
		if err == nil {
			err = use(fields[i], value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func readNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("field number: %.80q is no number", text)
	}
	return v, nil
}
