package program

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// WriteLP writes a valid program in CPLEX LP format, with the fewest digits that
// keep each number. Names that the format does not allow are changed: other
// bytes than letters, digits and _ become _, as does a first byte that is no
// letter, and equal names get more of them.
func WriteLP(w io.Writer, p Program) error {
	out := bufio.NewWriter(w)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	variables := lpNames(len(p.Variables), func(i int) string { return p.Variables[i].Name })
	rows := lpNames(len(p.Rows), func(i int) string { return p.Rows[i].Name })
	if p.Name != "" {
		line(`\ %s`, p.Name)
	}
	line("%s", map[bool]string{true: "Maximize", false: "Minimize"}[p.Maximise])
	var objective []string
	for i, v := range p.Variables {
		if v.Objective != 0 {
			objective = append(objective, term(v.Objective, variables[i]))
		}
	}
	line(" objective:%s", wrap(objective))
	line("Subject To")
	for n, r := range p.Rows {
		terms := make([]string, len(r.Variables))
		for t, i := range r.Variables {
			terms[t] = term(r.Coefficients[t], variables[i])
		}
		if len(terms) == 0 && len(variables) > 0 {
			terms = []string{term(0, variables[0])}
		}
		line(" %s:%s %s %s", rows[n], wrap(terms), r.Sense, number(r.RHS))
	}
	line("Bounds")
	for i, v := range p.Variables {
		line(" %s", lpBounds(v, variables[i]))
	}
	line("Generals")
	for i, v := range p.Variables {
		if v.Integer {
			line(" %s", variables[i])
		}
	}
	line("End")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write program as LP: %w", err)
	}
	return nil
}

func lpBounds(v Variable, name string) string {
	switch {
	case math.IsInf(v.Lower, -1) && math.IsInf(v.Upper, 1):
		return name + " free"
	case math.IsInf(v.Upper, 1):
		return name + " >= " + number(v.Lower)
	case math.IsInf(v.Lower, -1):
		return "-inf <= " + name + " <= " + number(v.Upper)
	default:
		return number(v.Lower) + " <= " + name + " <= " + number(v.Upper)
	}
}

func term(coefficient float64, name string) string {
	if coefficient < 0 {
		return "- " + number(-coefficient) + " " + name
	}
	return "+ " + number(coefficient) + " " + name
}

// wrap keeps lines below the 510 characters that CPLEX reads.
func wrap(terms []string) string {
	var out strings.Builder
	column := 0
	for _, t := range terms {
		if column += len(t) + 1; column > 120 {
			out.WriteString("\n  ")
			column = len(t) + 3
		}
		out.WriteString(" " + t)
	}
	return out.String()
}

// lpNames returns names that differ and that the format allows.
func lpNames(n int, name func(i int) string) []string {
	names, used := make([]string, n), make(map[string]bool, n)
	for i := range n {
		text := rename(name(i), func(at int, c byte) bool {
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
			return letter || at > 0 && (c >= '0' && c <= '9' || c == '_') || c == '_'
		})
		// A first e could be read as the exponent of a number.
		if text[0] == 'e' || text[0] == 'E' {
			text = "_" + text
		}
		for used[text] {
			text += "_"
		}
		used[text] = true
		names[i] = text
	}
	return names
}
