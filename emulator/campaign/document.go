package campaign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
)

// document collects the faults of a campaign file while it is read.
type document struct {
	faults faults.List
	// said are the faults so far: each combination of settings may have the same.
	said []string
}

// item is a value of the file and its path: "policies[1].settings.window".
type item struct {
	doc  *document
	path string
	node ast.Node
}

// object is a mapping whose keys are asked for one by one.
type object struct {
	item
	values map[string]item
	order  []string
	asked  []string
}

// open reads the text as far as it is one mapping.
func (d *document) open(text []byte) (object, bool) {
	body, line, err := input.Parse(text)
	if err != nil {
		d.faults.Add(line, err)
		return object{}, false
	}
	if body == nil {
		d.faults.Addf(1, "document: got nothing, want machines, workloads and policies")
		return object{}, false
	}
	return item{doc: d, path: "", node: body}.object()
}

func (i item) line() int {
	if t := i.node.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// fail notes a fault of the value.
func (i item) fail(format string, args ...any) {
	path := i.path
	if path == "" {
		path = "document"
	}
	fault := fmt.Errorf("%s: %w", path, fmt.Errorf(format, args...))
	if !slices.Contains(i.doc.said, fault.Error()) {
		i.doc.said = append(i.doc.said, fault.Error())
		i.doc.faults.Add(i.line(), fault)
	}
}

// failAll notes each line of an error as a fault of the value.
func (i item) failAll(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		i.fail("%s", line)
	}
}

// failEach notes each line of an error that begins with one of the keys as a fault of its value, and
// the others as faults of what the mapping is in.
func (o object) failEach(err error, whole item) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		key, what, _ := strings.Cut(line, ": ")
		if value, there := o.values[key]; there {
			value.fail("%s", what)
			continue
		}
		whole.fail("%s", line)
	}
}

func (i item) isMapping() bool {
	_, is := i.node.(*ast.MappingNode)
	return is
}

// object is the value as a mapping; it is false, and a fault, for another one.
func (i item) object() (object, bool) {
	body, is := i.node.(*ast.MappingNode)
	if !is {
		i.fail("got %s, want a mapping of keys to values", i.kind())
		return object{}, false
	}
	o := object{item: i, values: map[string]item{}}
	for _, pair := range body.Values {
		key := pair.Key.GetToken().Value
		path := key
		if i.path != "" {
			path = i.path + "." + key
		}
		o.values[key] = item{doc: i.doc, path: path, node: pair.Value}
		o.order = append(o.order, key)
	}
	return o, true
}

// get is the value of a key.
func (o *object) get(key string) (item, bool) {
	o.asked = append(o.asked, key)
	v, there := o.values[key]
	return v, there
}

// done notes the keys that nobody asked for.
func (o *object) done() {
	for _, key := range o.order {
		if !slices.Contains(o.asked, key) {
			o.values[key].fail("unknown key, allowed are %s%s", strings.Join(o.asked, ", "), faults.DidYouMean(key, o.asked))
		}
	}
}

// list is the value as a list, or the value alone. An empty list is a fault.
func (i item) list() []item {
	body, is := i.node.(*ast.SequenceNode)
	if !is {
		return []item{i}
	}
	if len(body.Values) == 0 {
		i.fail("got an empty list, so that the campaign has no run; want at least one value")
	}
	var all []item
	for n, value := range body.Values {
		all = append(all, item{doc: i.doc, path: fmt.Sprintf("%s[%d]", i.path, n), node: value})
	}
	return all
}

// word is a single value as it stands in the file: 26.05 is no number.
func (i item) word() (string, bool) {
	switch v := i.node.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return i.node.GetToken().Value, true
	default:
		i.fail("got %s, want a single value", i.kind())
		return "", false
	}
}

// words are those of a list, or of the value alone.
func (i item) words() []string {
	var all []string
	for _, one := range i.list() {
		if word, good := one.word(); good {
			all = append(all, word)
		}
	}
	return all
}

// duration is a time with its unit; false is a fault.
func (i item) duration() (time.Duration, bool) {
	word, good := i.word()
	if !good {
		return 0, false
	}
	d, err := time.ParseDuration(word)
	if err != nil || d <= 0 {
		i.fail("got %q, want a time with its unit, such as 30m", word)
		return 0, false
	}
	return d, true
}

// whole is a number from low to high; false is a fault.
func (i item) whole(low, high uint64) (uint64, bool) {
	word, good := i.word()
	if !good {
		return 0, false
	}
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil || n < low || n > high {
		i.fail("got %q, want a whole number from %d to %d", word, low, high)
		return 0, false
	}
	return n, true
}

// kind names a value as a user sees it.
func (i item) kind() string {
	switch i.node.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return strconv.Quote(i.node.GetToken().Value)
	default:
		return "a YAML " + strings.ToLower(i.node.Type().YAMLName())
	}
}
