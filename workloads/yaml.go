package workloads

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
)

// yamlDoc reads one strict YAML document. It walks the syntax tree instead of
// decoding into a struct because the decoder stops at its first fault, and
// because range checks need the lines of good values too.
//
// Values are addressed by path: "types[1].cores_per_node[0]".
type yamlDoc struct {
	rep   faults.List
	root  *yamlMap
	lines map[string]int
	// broken holds the paths that already have a fault, so that a value that
	// could not be read is not reported as missing on top.
	broken map[string]bool
	// complete says that every value has a default.
	complete bool
	// flags are the flags that set the values at these paths in the place of the file.
	flags map[string]string
}

// yamlMap is a mapping whose keys are asked for one by one. A nil or empty map
// has no keys.
type yamlMap struct {
	doc    *yamlDoc
	path   string
	values map[string]ast.Node
	// order and asked keep messages in the order of the file and of the code.
	order []string
	asked []string
}

func openYAML(file string, data []byte) *yamlDoc {
	doc := &yamlDoc{rep: faults.List{Name: file}, lines: map[string]int{"": 1}, broken: map[string]bool{}}
	doc.root = &yamlMap{doc: doc}
	body, line, err := input.Parse(data)
	if err != nil {
		doc.rep.Add(line, err)
		doc.broken[""] = true
		return doc
	}
	if body != nil {
		doc.root = doc.mapping("", body)
	}
	return doc
}

// err closes the document. values are the faults that were found in the values read,
// whose lines are looked up here; all faults are returned as one error.
func (d *yamlDoc) err(values []fault) error {
	for _, f := range values {
		if d.isBroken(f.Field) {
			continue
		}
		if flag := d.flagOf(f.Field); flag != "" {
			f.Field = flag
			d.rep.Add(0, f)
			continue
		}
		line, present := d.lines[f.Field]
		if !present && !d.defaulted(f.Field) {
			f.Problem = "missing"
		}
		for path := f.Field; !present; line, present = d.lines[path] {
			path = parentPath(path)
		}
		d.rep.Add(line, f)
	}
	return d.rep.Err()
}

// defaulted says whether a value that is not in the file has a default which can be
// wrong. The name has one, which is taken from the file's name, and in a complete document
// every value, which may not go with the others.
func (d *yamlDoc) defaulted(path string) bool { return d.complete || path == "name" }

func (d *yamlDoc) isBroken(path string) bool {
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

func (d *yamlDoc) fail(path string, line int, f fault) {
	d.broken[path] = true
	if flag := d.flagOf(path); flag != "" {
		f.Field, line = flag, 0
	}
	d.rep.Add(line, f)
}

// flagOf is the flag that set the value at path or the list that it is in, "" for none.
func (d *yamlDoc) flagOf(path string) string {
	list, _, _ := strings.Cut(path, "[")
	return d.flags[list]
}

// mistyped notes that the value at path is of another kind than wanted.
func (d *yamlDoc) mistyped(path string, n ast.Node, wanted string) {
	name := path
	if name == "" {
		name = "document"
	}
	d.fail(path, lineOf(n), faultAt(name, "got "+describe(n), wanted))
}

func (d *yamlDoc) mapping(path string, n ast.Node) *yamlMap {
	m := &yamlMap{doc: d, path: path, values: map[string]ast.Node{}}
	body, ok := n.(*ast.MappingNode)
	if !ok {
		d.mistyped(path, n, "a mapping of keys to values")
		return m
	}
	for _, pair := range body.Values {
		key := pair.Key.GetToken().Value
		m.values[key] = pair.Value
		m.order = append(m.order, key)
		d.lines[m.join(key)] = lineOf(pair.Key)
	}
	return m
}

func (m *yamlMap) join(key string) string {
	if m.path == "" {
		return key
	}
	return m.path + "." + key
}

// done reports the keys of the file that nobody asked for.
func (m *yamlMap) done() {
	for _, key := range m.order {
		if slices.Contains(m.asked, key) {
			continue
		}
		path := m.join(key)
		m.doc.fail(path, m.doc.lines[path], faultAt(path, "unknown key", strings.Join(m.asked, ", ")))
	}
}

func lineOf(n ast.Node) int {
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		return tk.Position.Line
	}
	return 1
}

// describe names a node as a user sees it.
func describe(n ast.Node) string {
	switch v := n.(type) {
	case *ast.StringNode:
		return faults.Quote(v.Value)
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return v.GetToken().Value
	default:
		return "a YAML " + strings.ToLower(n.Type().YAMLName())
	}
}
