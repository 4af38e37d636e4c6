package auctiontest

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// WriteMPS writes a valid program in free MPS format. A maximum gets a section
// OBJSENSE, which HiGHS reads, but CBC 2.10 ignores and glpsol 5.0 refuses: for these
// two, write Minimised(p). Bounds of whole variables are always written, since readers
// disagree about what a missing one means.
func WriteMPS(w io.Writer, p program.Program) error {
	m := &mpsWriter{out: bufio.NewWriter(w), program: p, objective: "objective"}
	rows := make(map[string]bool, len(p.Rows))
	for _, r := range p.Rows {
		rows[r.Name] = true
	}
	for rows[m.objective] {
		m.objective += "_"
	}
	name := p.Name
	if name == "" {
		name = "program"
	}
	m.line("NAME " + name + " FREE")
	if p.Maximise {
		m.line("OBJSENSE\n    MAX")
	}
	m.line("ROWS\n N " + m.objective)
	for _, r := range p.Rows {
		m.line(" " + senseLetter(r.Sense) + " " + r.Name)
	}
	m.columns()
	m.line("RHS")
	for _, r := range p.Rows {
		if r.RHS != 0 {
			m.line("  RHS " + r.Name + " " + number(r.RHS))
		}
	}
	m.line("BOUNDS")
	for _, v := range p.Variables {
		m.bounds(v)
	}
	m.line("ENDATA")
	if err := m.out.Flush(); err != nil {
		return fmt.Errorf("write program as MPS: %w", err)
	}
	return nil
}

type mpsWriter struct {
	out       *bufio.Writer
	program   program.Program
	objective string
}

// line leaves a failed write to Flush, which reports it.
func (m *mpsWriter) line(text string) { _, _ = m.out.WriteString(text + "\n") }

func senseLetter(s program.Sense) string {
	switch s {
	case program.AtMost:
		return "L"
	case program.AtLeast:
		return "G"
	default:
		return "E"
	}
}

// number has the fewest digits that give the same value again.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// columns writes the matrix, which MPS has variable by variable.
func (m *mpsWriter) columns() {
	type entry struct {
		row   int
		value float64
	}
	entries := make([][]entry, len(m.program.Variables))
	for n, r := range m.program.Rows {
		for t, i := range r.Variables {
			entries[i] = append(entries[i], entry{n, r.Coefficients[t]})
		}
	}
	m.line("COLUMNS")
	whole, markers := false, 0
	mark := func(kind string) {
		m.line(fmt.Sprintf("  MARKER%d 'MARKER' '%s'", markers, kind))
		markers++
	}
	for i, v := range m.program.Variables {
		if v.Integer != whole {
			mark(map[bool]string{true: "INTORG", false: "INTEND"}[v.Integer])
			whole = v.Integer
		}
		// MPS has no list of variables: one without an entry would not exist.
		if v.Objective != 0 || len(entries[i]) == 0 {
			m.line("  " + v.Name + " " + m.objective + " " + number(v.Objective))
		}
		for _, e := range entries[i] {
			m.line("  " + v.Name + " " + m.program.Rows[e.row].Name + " " + number(e.value))
		}
	}
	if whole {
		mark("INTEND")
	}
}

// bounds writes what differs from 0 <= x for a variable that is not whole.
func (m *mpsWriter) bounds(v program.Variable) {
	bound := func(kind string, value ...float64) {
		text := "  " + kind + " BOUND " + v.Name
		for _, x := range value {
			text += " " + number(x)
		}
		m.line(text)
	}
	noLower, noUpper := math.IsInf(v.Lower, -1), math.IsInf(v.Upper, 1)
	switch {
	case v.Lower == v.Upper:
		bound("FX", v.Lower)
		return
	case noLower && noUpper:
		bound("FR")
		return
	case noLower:
		bound("MI")
	case v.Integer || v.Lower != 0:
		bound("LO", v.Lower)
	}
	switch {
	case !noUpper:
		bound("UP", v.Upper)
	case v.Integer:
		bound("PL")
	}
}
