package program

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// rhs reads one right-hand side.
func (m *mpsReader) rhs(name string, value float64) error {
	n, known := m.rows[name]
	switch {
	case !known:
		return fmt.Errorf("field row: %.80q is no row", name)
	case name == m.objective && value != 0:
		return fmt.Errorf("field row: the objective %s has a constant, which is not supported", name)
	case n != freeRow:
		m.program.Rows[n].RHS = value
	}
	return nil
}

// span reads one range: the row holds between its right-hand side and that
// many more or less, and the further side becomes a row of its own.
func (m *mpsReader) span(name string, value float64) error {
	n, known := m.rows[name]
	if !known || n == freeRow {
		return fmt.Errorf("field row: %.80q is no row that could have a range", name)
	}
	r := &m.program.Rows[n]
	other := Row{
		Name: name + "_range", Sense: AtMost, RHS: r.RHS + math.Abs(value),
		Variables: r.Variables, Coefficients: r.Coefficients,
	}
	switch {
	case r.Sense == AtMost || r.Sense == Equal && value < 0:
		r.Sense, other.Sense, other.RHS = AtMost, AtLeast, r.RHS-math.Abs(value)
	case r.Sense == Equal:
		r.Sense = AtLeast
	}
	m.ranges = append(m.ranges, other)
	return nil
}

// bound reads one bound: type, name of the set, variable, number. Free format
// may leave the set out.
func (m *mpsReader) bound(fields []string) error {
	kind := fields[0]
	numbered := strings.Contains(" UP LO FX UI LI ", " "+kind+" ")
	if !numbered && !strings.Contains(" FR MI PL BV ", " "+kind+" ") {
		return fmt.Errorf("field type: bound %.80q is not supported, want UP, LO, FX, UI, LI, FR, MI, PL or BV", kind)
	}
	rest := fields[1:]
	want := 1
	if numbered {
		want = 2
	}
	if len(rest) > want {
		rest = rest[1:]
	}
	// Some writers put a number even behind FR, MI, PL and BV, which need none.
	if len(rest) < want || len(rest) > 2 {
		return fmt.Errorf("bound: %d fields, want a type, the name of the bounds, a variable and a number", len(fields))
	}
	i, known := m.variables[rest[0]]
	if !known {
		return fmt.Errorf("field variable: %.80q is no variable", rest[0])
	}
	value := 0.0
	if numbered {
		var err error
		if value, err = readNumber(rest[1]); err != nil {
			return err
		}
	}
	return m.limit(i, kind, value)
}

func (m *mpsReader) limit(i int, kind string, value float64) error {
	v, given := &m.program.Variables[i], &m.limits[i]
	switch kind {
	case "UP", "UI":
		if value < 0 && !given.lower {
			return fmt.Errorf("field number: upper bound %g of %s without a lower bound before it, which solvers read in different ways", value, v.Name)
		}
		v.Upper = value
	case "LO", "LI":
		v.Lower = value
	case "FX":
		v.Lower, v.Upper = value, value
	case "FR":
		v.Lower, v.Upper = math.Inf(-1), math.Inf(1)
	case "MI":
		v.Lower = math.Inf(-1)
	case "PL":
		v.Upper = math.Inf(1)
	case "BV":
		v.Lower, v.Upper = 0, 1
	}
	if kind == "UI" || kind == "LI" || kind == "BV" {
		v.Integer = true
	}
	given.any = true
	given.lower = given.lower || kind != "UP" && kind != "UI" && kind != "PL"
	return nil
}

// finish does what needs the whole file: a whole variable without any bound gets the
// upper bound 1, ranges become rows, and the program is validated.
func (m *mpsReader) finish() (Program, error) {
	if m.objective == "" {
		return Program{}, errors.New("section ROWS: a row N is missing, the objective")
	}
	for i := range m.program.Variables {
		if v := &m.program.Variables[i]; v.Integer && !m.limits[i].any {
			v.Upper = 1
		}
	}
	m.program.Rows = append(m.program.Rows, m.ranges...)
	return m.program, m.program.Validate()
}
