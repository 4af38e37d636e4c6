package input

import (
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Value is a value of a document with its position.
type Value struct {
	doc  *Document
	path string
	node ast.Node
}

// There says whether the file has the value.
func (v Value) There() bool { return v.doc != nil && v.node != nil }

// Path is the path of the value in the document, such as "policies[1].settings.window".
func (v Value) Path() string { return v.path }

// Line is the one on which the value begins, from 1.
func (v Value) Line() int { return lineOf(v.node) }

func lineOf(n ast.Node) int {
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		return tk.Position.Line
	}
	return 1
}

// IsMapping says that the value has keys, IsInt that it is a whole number.
func (v Value) IsMapping() bool { return is[*ast.MappingNode](v) }

// IsInt says that the value is a whole number.
func (v Value) IsInt() bool { return is[*ast.IntegerNode](v) }

func is[T ast.Node](v Value) bool {
	_, is := v.node.(T)
	return is
}

// Text is the value if it is one that YAML takes for a text.
func (v Value) Text() (string, bool) {
	if s, is := v.node.(*ast.StringNode); is {
		return s.Value, true
	}
	return "", false
}

// Scalar is a single value as it stands in the file: 26.05 is no number.
func (v Value) Scalar() (string, bool) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// Entries lists the entries of a list; false for another value.
func (v Value) Entries() ([]Value, bool) {
	list, is := v.node.(*ast.SequenceNode)
	if !is {
		return nil, false
	}
	entries := make([]Value, len(list.Values))
	for i, n := range list.Values {
		entries[i] = Value{v.doc, v.path + "[" + strconv.Itoa(i) + "]", n}
		v.doc.lines[entries[i].path] = lineOf(n)
	}
	return entries, true
}

// List is Entries, and a fault of another value.
func (v Value) List() []Value {
	entries, is := v.Entries()
	if !is {
		v.Mistyped("a list")
	}
	return entries
}

// Word is a text on one line, "" and a fault for another value.
func (v Value) Word() string {
	text, is := v.Text()
	if !is {
		v.Mistyped("text (in quotes where it looks like something else)")
	}
	return text
}

// Int is a whole number, 0 and a fault for another value.
func (v Value) Int() int {
	if i, is := v.node.(*ast.IntegerNode); is {
		switch n := i.Value.(type) {
		case int64:
			if int64(int(n)) == n {
				return int(n)
			}
		case uint64:
			if n <= math.MaxInt {
				return int(n)
			}
		}
	}
	v.Mistyped("a whole number")
	return 0
}

// Number is a number, 0 and a fault for another value.
func (v Value) Number() float64 {
	switch n := v.node.(type) {
	case *ast.FloatNode:
		return n.Value
	case *ast.IntegerNode:
		return float64(v.Int())
	}
	v.Mistyped("a number like 0.5")
	return 0
}

// Kind names the value as a user sees it.
func (v Value) Kind() string {
	switch n := v.node.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		text, _ := v.Scalar()
		if v.doc.words == Want {
			return faults.Quote(n.GetToken().Value)
		}
		if is[*ast.StringNode](v) {
			return faults.Quote(text)
		}
		return text
	case *ast.InfinityNode, *ast.NanNode:
		if v.doc.words == Allowed {
			return n.GetToken().Value
		}
	}
	return "a YAML " + strings.ToLower(v.node.Type().YAMLName())
}
