package input

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Words say how the faults of a kind of file are worded.
type Words int

const (
	// Allowed is "cores: got 0, allowed 1..8"; of an unknown key all known ones are named.
	Allowed Words = iota
	// Want is "seeds: got a mapping, want a single value"; of an unknown key also the nearest one is named.
	Want
)

// Document reads one strict YAML document. It walks the syntax tree instead of
// decoding into a struct because the decoder stops at its first fault, and
// because range checks need the lines of good values too.
//
// Values are addressed by path: "types[1].cores_per_node[0]".
type Document struct {
	// Faults are those so far, each with its line.
	Faults faults.List
	// Complete says that every value has a default, so that none is missing.
	Complete bool
	// Readers read the fields that have their name in the tag as.
	Readers map[string]Reader

	words Words
	body  ast.Node
	lines map[string]int
	// broken holds the paths that already have a fault, so that a value that
	// could not be read is not reported as missing on top.
	broken map[string]bool
	// said are the texts of Failf so far.
	said map[string]bool
	// flags are the flags that set the values at these paths in the place of the file.
	flags map[string]string
	// earlier are the paths in the file of values that it has under the earlier name of their key.
	earlier map[string]string
}

// Open parses the text of a file, whose name is for faults. What is wrong with the text as a whole is in Faults.
func Open(file string, text []byte, words Words) *Document {
	d := &Document{
		Faults: faults.List{Name: file}, words: words,
		lines: map[string]int{"": 1}, broken: map[string]bool{}, said: map[string]bool{}, earlier: map[string]string{},
	}
	body, line, err := Parse(text)
	if err != nil {
		d.Faults.Add(line, err)
		d.broken[""] = true
		return d
	}
	d.body = body
	return d
}

// Body is the whole document as a value that faults call by such a path; false for an empty document, and for one that
// cannot be parsed.
func (d *Document) Body(path string) (Value, bool) { return Value{d, path, d.body}, d.body != nil }

// Root is the document as a mapping, an empty one where it has nothing.
func (d *Document) Root() *Mapping {
	if body, there := d.Body(""); there {
		return body.Mapping()
	}
	return &Mapping{Value: Value{doc: d}}
}

// Err closes the document. values are the faults that were found in the values read,
// whose lines are looked up here; all faults are returned as one error.
func (d *Document) Err(values []faults.Fault) error {
	for _, f := range values {
		if path, there := d.earlier[f.Field]; there {
			f.Field = path
		}
		if d.isBroken(f.Field) {
			continue
		}
		if flag := d.flagOf(f.Field); flag != "" {
			f.Field = flag
			d.Faults.Add(0, f)
			continue
		}
		if _, present := d.lines[f.Field]; !present && !d.defaulted(f.Field) {
			f.Problem = "missing"
		}
		d.Faults.Add(d.LineOf(f.Field), f)
	}
	return d.Faults.Err()
}

// defaulted says whether a value that is not in the file has a default which can be
// wrong. The name has one, which is taken from the file's name, and in a complete document
// every value, which may not go with the others.
func (d *Document) defaulted(path string) bool { return d.Complete || path == "name" }

func (d *Document) isBroken(path string) bool {
	for ; path != ""; path = parentPath(path) {
		if d.broken[path] {
			return true
		}
	}
	return d.broken[""]
}

func parentPath(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// fail notes a fault, and that its value cannot be read.
func (d *Document) fail(line int, f faults.Fault) {
	d.broken[f.Field] = true
	if flag := d.flagOf(f.Field); flag != "" {
		f.Field, line = flag, 0
	}
	if f.Field == "" {
		f.Field = "document"
	}
	d.Faults.Add(line, f)
}

// flagOf is the flag that set the value at path or the list that it is in, "" for none.
func (d *Document) flagOf(path string) string {
	list, _, _ := strings.Cut(path, "[")
	return d.flags[list]
}

// Instead reads a flag's value, which is such a text of YAML, in the place of the value at path. Its faults are
// the flag's.
func (d *Document) Instead(path, flag, value, text string, read func(*Mapping)) {
	if d.flags == nil {
		d.flags = map[string]string{}
	}
	d.flags[path] = flag
	body, _, err := Parse([]byte(text))
	if err != nil {
		// Only the bounds of Parse can refuse a value that the caller wrote as YAML.
		d.fail(0, faults.Fault{Field: path, Problem: "got " + faults.Quote(value), Allowed: "a shorter value"})
		return
	}
	// The lines refer to the file.
	lines := d.lines
	d.lines = map[string]int{}
	read(Value{d, "", body}.Mapping())
	d.lines = lines
}

// IsSet says whether the file or a flag has the value at path.
func (d *Document) IsSet(path string) bool {
	_, inFile := d.lines[path]
	_, set := d.flags[path]
	return inFile || set
}

// LineOf is the line of the file that has the value at path, or what the value is in. It is 0 where a flag took its place.
func (d *Document) LineOf(path string) int {
	if d.flagOf(path) != "" {
		return 0
	}
	line, present := d.lines[path]
	for ; !present; line, present = d.lines[path] {
		path = parentPath(path)
	}
	return line
}

// Mapping has keys that are asked for one by one. A nil or empty one has no keys.
type Mapping struct {
	Value
	// Keys lists the file's keys, in its order.
	Keys   []string
	values map[string]Value
	// asked keeps messages in the order of the code.
	asked []string
	// was has the earlier names of keys.
	was []string
}

// Mapping is the value as a mapping, an empty one and a fault where it is something else.
func (v Value) Mapping() *Mapping {
	m := &Mapping{Value: v, values: map[string]Value{}}
	body, is := v.node.(*ast.MappingNode)
	if !is {
		v.Mistyped("a mapping of keys to values")
		return m
	}
	for _, pair := range body.Values {
		key := pair.Key.GetToken().Value
		path := v.under(key)
		m.values[key] = Value{v.doc, path, pair.Value}
		m.Keys = append(m.Keys, key)
		v.doc.lines[path] = lineOf(pair.Key)
	}
	return m
}

// Get is the value of a key, false when the file does not have it.
func (m *Mapping) Get(key string) (Value, bool) {
	if !slices.Contains(m.asked, key) {
		m.asked = append(m.asked, key)
	}
	return m.Peek(key)
}

// earlier is Get of the earlier name of a key, which no fault proposes.
func (m *Mapping) earlier(key, was string) (Value, bool) {
	m.was = append(m.was, was)
	v, there := m.Peek(was)
	if there {
		m.doc.earlier[m.under(key)] = v.path
	}
	return v, there
}

// under is the path of a key.
func (v Value) under(key string) string {
	if v.path == "" {
		return key
	}
	return v.path + "." + key
}

// All are the values by their keys, in the order of the file, where any key may be.
func (m *Mapping) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, key := range m.Keys {
			if v, _ := m.Get(key); !yield(key, v) {
				return
			}
		}
	}
}

// Peek is Get of a key that may be one that is not allowed.
func (m *Mapping) Peek(key string) (Value, bool) {
	v, there := m.values[key]
	return v, there
}

// Has says whether the file has a value for a key, and one that could be read.
func (m *Mapping) Has(key string) bool {
	v, there := m.values[key]
	return there && !m.doc.broken[v.path]
}

// Refuse notes a key that the file may have elsewhere, but not here.
func (m *Mapping) Refuse(key, problem, allowed string) {
	if v, there := m.values[key]; there {
		m.asked = append(m.asked, key)
		m.doc.fail(m.doc.lines[v.path], faults.Fault{Field: v.path, Problem: problem, Allowed: allowed})
	}
}

// Done notes the keys of the file that nobody asked for.
func (m *Mapping) Done() {
	known := strings.Join(m.asked, ", ")
	for _, key := range m.Keys {
		v := m.values[key]
		switch {
		case slices.Contains(m.asked, key), slices.Contains(m.was, key):
		case m.doc.words == Want:
			v.Failf("unknown key, allowed are %s%s", known, faults.DidYouMean(key, m.asked))
		default:
			m.doc.fail(m.doc.lines[v.path], faults.Fault{Field: v.path, Problem: "unknown key", Allowed: known})
		}
	}
}

// Failf notes a fault of the value, once. Its text is made by fmt.Errorf.
func (v Value) Failf(format string, args ...any) {
	field := v.path
	if field == "" {
		field = "document"
	}
	fault := fmt.Errorf("%s: %w", field, fmt.Errorf(format, args...))
	if !v.doc.said[fault.Error()] {
		v.doc.said[fault.Error()] = true
		v.doc.Faults.Add(v.Line(), fault)
	}
}

// FailAll notes each line of an error as a fault of the value.
func (v Value) FailAll(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		v.Failf("%s", line)
	}
}

// Mistyped notes that the value is of another kind than wanted.
func (v Value) Mistyped(wanted string) {
	if v.doc.words == Want {
		v.Failf("got %s, want %s", v.Kind(), wanted)
		return
	}
	v.doc.fail(v.Line(), faults.Fault{Field: v.path, Problem: "got " + v.Kind(), Allowed: wanted})
}
