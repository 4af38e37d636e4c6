package plugin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// messages are the messages of the protocol, in the order of a conversation, by the name of their definition and by
// who writes them.
func messages() []message {
	return []message{
		{"hello", "slurmlab writes", reflect.TypeFor[Hello](), false},
		{"welcome", "the program writes", reflect.TypeFor[Welcome](), true},
		{"snapshot", "slurmlab writes", reflect.TypeFor[Snapshot](), false},
		{"answer", "the program writes", reflect.TypeFor[Answer](), true},
	}
}

type message struct {
	name, writer string
	of           reflect.Type
	// closed: a field that it does not have is an error. What slurmlab writes may get new ones.
	closed bool
}

// Schema is the JSON Schema of the protocol, made from the types of the messages.
func Schema() ([]byte, error) {
	definitions := definitions{}
	var alternatives []map[string]string
	for _, m := range messages() {
		definitions.add(m.of, m.name, m.closed)
		alternatives = append(alternatives, map[string]string{"$ref": "#/$defs/" + m.name})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       fmt.Sprintf("slurmlab's protocol of schedulers, version %d", Version),
		"description": "Each line of the conversation is one of these messages.",
		"anyOf":       alternatives,
		"$defs":       definitions,
	})
	if err != nil {
		return nil, fmt.Errorf("write schema: %w", err)
	}
	return out.Bytes(), nil
}

// definitions are the schemas of structs by their names.
type definitions map[string]any

// add adds the definition of a struct, and of the structs in it.
func (d definitions) add(t reflect.Type, name string, closed bool) {
	properties, required := map[string]any{}, []string{}
	for field := range t.Fields() {
		key, optional := keyOf(field)
		property := d.typeOf(field.Type, closed)
		property["description"] = field.Tag.Get("about")
		constrain(property, field)
		properties[key] = property
		if !optional {
			required = append(required, key)
		}
	}
	definition := map[string]any{"type": "object", "properties": properties, "required": required}
	if closed {
		definition["additionalProperties"] = false
	}
	d[name] = definition
}

// constrain adds what the tags of a field say about its value.
func constrain(property map[string]any, field reflect.StructField) {
	for tag, keyword := range map[string]string{"const": "const", "min": "minimum", "max": "maximum"} {
		switch text := field.Tag.Get(tag); {
		case text == "":
		case field.Type.Kind() == reflect.String:
			property[keyword] = text
		default:
			property[keyword] = json.Number(text)
		}
	}
	if words := strings.Fields(field.Tag.Get("enum")); len(words) > 0 {
		property["enum"] = words
	}
}

// keyOf is the name of a field in JSON, and whether it may be left out.
func keyOf(f reflect.StructField) (key string, optional bool) {
	key, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key, rest == "omitempty"
}

// typeOf is the schema of a type.
func (d definitions) typeOf(t reflect.Type, closed bool) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return d.typeOf(t.Elem(), closed)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": d.typeOf(t.Elem(), closed)}
	case reflect.Struct:
		name := strings.ToLower(t.Name())
		d.add(t, name, closed)
		return map[string]any{"$ref": "#/$defs/" + name}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	default:
		return map[string]any{"type": "string"}
	}
}

// wordOf is a type in words, and the struct in it.
func wordOf(t reflect.Type) (word string, element reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		return wordOf(t.Elem())
	case reflect.Slice:
		word, element = wordOf(t.Elem())
		return "list of " + word, element
	case reflect.Struct:
		return strings.ToLower(t.Name()), t
	case reflect.Int:
		return "integer", nil
	case reflect.Float64:
		return "number", nil
	case reflect.Bool:
		return "boolean", nil
	default:
		return "string", nil
	}
}
