package workloads

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// value returns the node of a key, nil when the file does not have it.
func (m *yamlMap) value(key string) ast.Node {
	if !slices.Contains(m.asked, key) {
		m.asked = append(m.asked, key)
	}
	return m.values[key]
}

func (m *yamlMap) text(key string, into *string) {
	if n := m.value(key); n != nil {
		// A command may have several lines ("|").
		if block, ok := n.(*ast.LiteralNode); ok {
			n = block.Value
		}
		if word := m.doc.word(m.join(key), n); !m.doc.broken[m.join(key)] {
			*into = word
		}
	}
}

func (m *yamlMap) integer(key string, into *int) {
	if n := m.value(key); n != nil {
		*into = m.doc.whole(m.join(key), n)
	}
}

func (m *yamlMap) integers(key string, into *[]int) {
	each(m, key, into, m.doc.whole)
}

func (m *yamlMap) decimal(key string, into *float64) {
	if n := m.value(key); n != nil {
		*into = m.doc.number(m.join(key), n)
	}
}

func (m *yamlMap) decimals(key string, into *[]float64) {
	each(m, key, into, m.doc.number)
}

func (m *yamlMap) flag(key string, into *bool) {
	switch n := m.value(key).(type) {
	case nil:
	case *ast.BoolNode:
		*into = n.Value
	default:
		m.doc.mistyped(m.join(key), n, "true or false")
	}
}

func (m *yamlMap) duration(key string, into *Duration) {
	if n := m.value(key); n != nil {
		*into = m.doc.span(m.join(key), n, *into)
	}
}

func (m *yamlMap) memory(key string, into *Memory) {
	n := m.value(key)
	if n == nil {
		return
	}
	if s, ok := n.(*ast.StringNode); ok {
		if size, err := ParseMemory(s.Value); err == nil {
			*into = size
			return
		}
	}
	m.doc.mistyped(m.join(key), n, "a size with its unit, like 50MiB or 4GiB")
}

func (m *yamlMap) durations(key string, into *[]Duration) {
	each(m, key, into, func(path string, n ast.Node) Duration { return m.doc.span(path, n, Duration{}) })
}

// each reads the entries of a list.
func each[T any](m *yamlMap, key string, into *[]T, read func(string, ast.Node) T) {
	path := m.join(key)
	for i, n := range m.list(key) {
		item := path + "[" + strconv.Itoa(i) + "]"
		m.doc.lines[item] = lineOf(n)
		*into = append(*into, read(item, n))
	}
}

// replaced reads the entries of a list, if there is one, in the place of those in into.
func replaced[T any](m *yamlMap, key string, into *[]T, read func(string, ast.Node) T) {
	if m.values[key] != nil {
		*into = nil
	}
	each(m, key, into, read)
}

// child returns the mapping under key, an empty one when there is none.
func (m *yamlMap) child(key string) *yamlMap {
	n := m.value(key)
	if n == nil {
		return &yamlMap{doc: m.doc, path: m.join(key)}
	}
	return m.doc.mapping(m.join(key), n)
}

func (m *yamlMap) children(key string) []*yamlMap {
	var out []*yamlMap
	for i, n := range m.list(key) {
		path := m.join(key) + "[" + strconv.Itoa(i) + "]"
		m.doc.lines[path] = lineOf(n)
		out = append(out, m.doc.mapping(path, n))
	}
	return out
}

func (m *yamlMap) list(key string) []ast.Node {
	n := m.value(key)
	if n == nil {
		return nil
	}
	if s, ok := n.(*ast.SequenceNode); ok {
		return s.Values
	}
	m.doc.mistyped(m.join(key), n, "a list")
	return nil
}

func (d *yamlDoc) word(path string, n ast.Node) string {
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	d.mistyped(path, n, "text (in quotes where it looks like something else)")
	return ""
}

func (d *yamlDoc) whole(path string, n ast.Node) int {
	if i, ok := n.(*ast.IntegerNode); ok {
		switch v := i.Value.(type) {
		case int64:
			if int64(int(v)) == v {
				return int(v)
			}
		case uint64:
			if v <= math.MaxInt {
				return int(v)
			}
		}
	}
	d.mistyped(path, n, "a whole number")
	return 0
}

func (d *yamlDoc) number(path string, n ast.Node) float64 {
	switch v := n.(type) {
	case *ast.FloatNode:
		return v.Value
	case *ast.IntegerNode:
		return float64(d.whole(path, n))
	default:
		d.mistyped(path, n, "a number like 0.5")
		return 0
	}
}

// span reads a duration such as 10m. It returns otherwise, and notes a fault, when the
// node is no duration.
func (d *yamlDoc) span(path string, n ast.Node, otherwise Duration) Duration {
	if s, ok := n.(*ast.StringNode); ok {
		if v, err := time.ParseDuration(s.Value); err == nil {
			return Duration{v}
		}
	}
	d.mistyped(path, n, "a duration with its unit, like 90s, 10m or 4h")
	return otherwise
}
