package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/results/trace"
)

// published is docs/plugins.schema.json, to validate whole messages with.
func published(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile("../../docs/plugins.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err = json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// listener is a program that keeps each line of the conversation. Its answers have every field.
type listener struct{ lines [][]byte }

func (*listener) Start() error { return nil }
func (*listener) End()         {}

func (l *listener) Ask(_ context.Context, question []byte) ([]byte, error) {
	reply := []byte(`{"type":"hello","version":1,"name":"listener"}`)
	if !bytes.Contains(question, []byte(`"hello"`)) {
		var s plugin.Snapshot
		if err := json.Unmarshal(question, &s); err != nil {
			return nil, err
		}
		gpus := 1
		a := plugin.Answer{Type: "answer", Number: s.Number, WaitUntilS: s.TimeS + 60}
		for _, j := range s.Queue {
			a.Start = append(a.Start, plugin.Start{Job: j.Job, Nodes: []string{s.Nodes[0].Name}, Cores: []int{j.Cores}, GPUs: &gpus})
			a.Reserve = append(a.Reserve, plugin.Reserve{Job: j.Job, StartS: s.TimeS + 90, Nodes: []string{s.Nodes[1].Name}})
		}
		var err error
		if reply, err = json.Marshal(a); err != nil {
			return nil, err
		}
	}
	l.lines = append(l.lines, question, reply)
	return reply, nil
}

// conversations are those about the recorded snapshots, and one about jobs with every option
// on nodes below switches, with each outcome of a start.
func conversations(t *testing.T) [][]byte {
	t.Helper()
	var l listener
	if _, err := plugin.Trial(t.Context(), &l, time.Minute); err != nil {
		t.Fatal(err)
	}
	d, err := plugin.NewDecider(t.Context(), plugin.DeciderOptions{Program: &l, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := small()
	for i := range s.Nodes {
		s.Nodes[i].Switches = []int{i / 2, 2}
	}
	s.Jobs[4].Options.Switches = 1
	if _, err = d.Decide(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	s.Running = append(s.Running[:0:0], machine.Holding{Job: 1, Allocation: machine.Allocation{Nodes: []int{1}, Cores: []int{8}}, End: time.Hour})
	d.Told(agent.Outcomes{Started: []int{1}, Refused: []trace.Refusal{{Job: 2, Reason: "no"}}, Returned: []trace.Refusal{{Job: 3, Reason: "late"}}})
	if _, err = d.Decide(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	return l.lines
}

// valueOf is a message as the validator takes it.
func valueOf(t *testing.T, line []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(line, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// damage visits a value together with its schema. It makes everything wrong with it that a constraint of the schema
// forbids, one at a time. try sees the whole message each time, with the name of the constraint. It also notes which
// properties there are.
type damage struct {
	definitions map[string]*jsonschema.Schema
	try         func(constraint string)
	seen        map[string]bool
}

func (d damage) visit(name string, schema *jsonschema.Schema, value any, set func(any)) {
	if schema.Ref != "" {
		name = strings.TrimPrefix(schema.Ref, "#/$defs/")
		schema = d.definitions[name]
	}
	with := func(constraint string, wrong any) {
		set(wrong)
		d.try(name + ": " + constraint)
		set(value)
	}
	with("type "+schema.Type, map[bool]any{true: []any{}, false: map[string]any{}}[schema.Type == "object"])
	if schema.Type == "integer" {
		with("no fraction", 1.5)
	}
	if schema.Const != nil {
		with("const", map[bool]any{true: "word", false: 2.0}[schema.Type == "string"])
	}
	if len(schema.Enum) > 0 {
		with("enum", "word")
	}
	if schema.Minimum != nil {
		with("minimum", *schema.Minimum-1)
	}
	if schema.Maximum != nil {
		with("maximum", *schema.Maximum+1)
	}
	switch inner := value.(type) {
	case []any:
		for i := range inner {
			d.visit(name+"[]", schema.Items, inner[i], func(v any) { inner[i] = v })
		}
	case map[string]any:
		if schema.AdditionalProperties != nil {
			inner["colour"] = "red"
			d.try(name + ": no other field")
			delete(inner, "colour")
		}
		for _, key := range slices.Sorted(maps.Keys(inner)) {
			of, known := schema.Properties[key]
			if !known {
				continue
			}
			d.seen[name+"."+key] = true
			if slices.Contains(schema.Required, key) {
				was := inner[key]
				delete(inner, key)
				d.try(name + ": required " + key)
				inner[key] = was
			}
			d.visit(name+"."+key, of, inner[key], func(v any) { inner[key] = v })
		}
	}
}

// Every message of recorded conversations is one of the published schema, each field of which
// is in one of them.
func TestMessagesAreOfTheSchema(t *testing.T) {
	schema := published(t)
	d := damage{definitions: schema.Schema().Defs, try: func(string) {}, seen: map[string]bool{}}
	lines := conversations(t)
	for _, line := range lines {
		value := valueOf(t, line)
		if err := schema.Validate(value); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		d.visit("", &jsonschema.Schema{Ref: "#/$defs/" + definitionOf(value)}, value, func(any) {})
	}
	if len(lines) < 80 {
		t.Errorf("%d messages", len(lines))
	}
	for name, definition := range d.definitions {
		for key := range definition.Properties {
			if !d.seen[name+"."+key] {
				t.Errorf("no message has %s of %s", key, name)
			}
		}
	}
}

// definitionOf is the name of a message's definition.
func definitionOf(message any) string {
	m := message.(map[string]any)
	if _, asks := m["limit_s"]; m["type"] == "hello" && !asks {
		return "welcome"
	}
	return m["type"].(string)
}

// constraints lists the constraints of a schema as damage names them.
func constraints(name string, schema *jsonschema.Schema) (all []string) {
	if schema.Ref != "" {
		return nil
	}
	add := func(there bool, constraint string) {
		if there {
			all = append(all, name+": "+constraint)
		}
	}
	add(true, "type "+schema.Type)
	add(schema.Type == "integer", "no fraction")
	add(schema.Const != nil, "const")
	add(len(schema.Enum) > 0, "enum")
	add(schema.Minimum != nil, "minimum")
	add(schema.Maximum != nil, "maximum")
	add(schema.AdditionalProperties != nil, "no other field")
	for _, key := range schema.Required {
		add(true, "required "+key)
	}
	for key, of := range schema.Properties {
		all = append(all, constraints(name+"."+key, of)...)
	}
	if schema.Items != nil {
		all = append(all, constraints(name+"[]", schema.Items)...)
	}
	return all
}

// Each constraint of the schema refuses a message that breaks it.
func TestSchemaRefuses(t *testing.T) {
	schema := published(t)
	tried := map[string]bool{}
	// The last conversation has every field: hello, welcome, and two questions with answers.
	lines := conversations(t)
	for _, line := range lines[len(lines)-6:] {
		value := valueOf(t, line)
		d := damage{definitions: schema.Schema().Defs, seen: map[string]bool{}}
		d.try = func(constraint string) {
			tried[constraint] = true
			// A hello without a limit is a program's.
			if schema.Validate(value) == nil && constraint != "hello: required limit_s" {
				t.Errorf("%s: the schema takes %v", constraint, value)
			}
		}
		d.visit("", &jsonschema.Schema{Ref: "#/$defs/" + definitionOf(value)}, value, func(v any) { value = v })
	}
	for name, definition := range schema.Schema().Defs {
		for _, constraint := range constraints(name, definition) {
			if !tried[constraint] {
				t.Errorf("no message broke %q", constraint)
			}
		}
	}
}

// What the schema refuses of a program's messages slurmlab refuses, or leaves that start out;
// but for a plan without a time, which is one for the past.
func TestSchemaIsTheReaders(t *testing.T) {
	schema := published(t)
	read := func(text []byte) error {
		if bytes.Contains(text, []byte("hello")) {
			_, err := plugin.ReadWelcome(text)
			return err
		}
		a, err := plugin.ReadAnswer(text, 1)
		if err != nil {
			return err
		}
		if _, faults := plugin.Judge(small(), a); len(faults) > 0 {
			return errors.New(faults[0].String())
		}
		return nil
	}
	for _, text := range []string{
		`{"type":"hello","version":1,"name":"mine"}`,
		`{"type":"answer","number":1,"start":[{"job":2,"nodes":["n2","n3"],"cores":[4,4],"gpus_per_node":1}],"reserve":[{"job":1,"start_s":200,"nodes":["n1"]}],"wait_until_s":90}`,
	} {
		value := valueOf(t, []byte(text))
		if err := read([]byte(text)); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		d := damage{definitions: schema.Schema().Defs, seen: map[string]bool{}}
		d.try = func(constraint string) {
			wrong, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if read(wrong) == nil && constraint != "reserve: required start_s" {
				t.Errorf("%s: slurmlab takes\n%s", constraint, wrong)
			}
		}
		d.visit("", &jsonschema.Schema{Ref: "#/$defs/" + definitionOf(value)}, value, func(v any) { value = v })
	}
}
