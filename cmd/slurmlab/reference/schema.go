package main

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// schemaFile is the file of docs that machineSchema is.
const schemaFile = "machine.schema.json"

// machineSchema is docs/machine.schema.json, with which an editor checks a machine file while it is typed.
func machineSchema() ([]byte, error) {
	s := schema(append(input.Keys[workloads.Machine]("name", "nodes", "cores", "gpus", "switches", "blocks"), input.Keys[layout.Layout]()...))
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "slurmlab machine file"
	s.Description = "The nodes and partitions of an emulated cluster; see docs/machines.md. " +
		"What a schema cannot say, such as that a partition's groups exist, slurmlab machine check says."
	// A file has nodes and cores, or groups.
	s.Required = nil
	s.Defs = map[string]*jsonschema.Schema{
		"word": {Type: "string", Pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,249}$"},
		"qos":  {Type: "string", Pattern: "^[a-z0-9][a-z0-9_.-]{0,249}$"},
		"name": {Type: "string", Pattern: "^[a-z0-9][a-z0-9_.-]{0,31}$"},
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// schema describes a mapping with such keys and no other.
func schema(keys []input.Key) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: never()}
	for _, k := range keys {
		of := value(k.Type, k.Tag)
		of.Description = plain(k.About)
		if byDefault, there := k.Tag.Lookup("default"); there {
			of.Default = json.RawMessage(byDefault)
			if k.Type.Kind() == reflect.String {
				of.Default = json.RawMessage(strconv.Quote(byDefault))
			}
		}
		if k.Tag.Get("need") != "" {
			s.Required = append(s.Required, k.Name)
		}
		s.Properties[k.Name] = of
	}
	return s
}

// never is the schema that takes nothing.
func never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// value is the schema of a key's values.
func value(t reflect.Type, tag reflect.StructTag) *jsonschema.Schema {
	if as := tag.Get("as"); as != "" {
		return unusual(as, tag)
	}
	switch t.Kind() {
	case reflect.Struct:
		return schema(input.KeysOf(t, tag.Get("view")))
	case reflect.Slice:
		low, high := bounds(tag)
		s := &jsonschema.Schema{Type: "array", Items: value(t.Elem(), reflect.StructTag(`of:"`+tag.Get("of")+`"`))}
		if low != nil {
			s.MinItems, s.MaxItems = whole(low), whole(high)
		}
		return s
	case reflect.String:
		s := words(tag.Get("of"))
		if _, high := bounds(tag); high != nil {
			s.MaxLength = whole(high)
		}
		return s
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Float64:
		low, high := bounds(tag)
		return &jsonschema.Schema{Type: "number", Minimum: low, Maximum: high}
	default:
		low, high := bounds(tag)
		return &jsonschema.Schema{Type: "integer", Minimum: low, Maximum: high}
	}
}

// words is the schema of a text: any, one of a definition, or one of a list.
func words(of string) *jsonschema.Schema {
	switch of {
	case "word", "qos", "name":
		return &jsonschema.Schema{Ref: "#/$defs/" + of}
	case "":
		return &jsonschema.Schema{Type: "string"}
	default:
		s := &jsonschema.Schema{}
		for word := range strings.SplitSeq(workloads.Phrases().Replace(of), ", ") {
			s.Enum = append(s.Enum, word)
		}
		return s
	}
}

// bounds reads the tag range; nil without it.
func bounds(tag reflect.StructTag) (low, high *float64) {
	from, to, there := strings.Cut(workloads.Phrases().Replace(tag.Get("range")), "..")
	if !there {
		return nil, nil
	}
	// A bad number would be refused by the test of the schema.
	least, _ := strconv.ParseFloat(from, 64)
	most, _ := strconv.ParseFloat(to, 64)
	return &least, &most
}

// whole is a bound of lengths.
func whole(number *float64) *int {
	n := int(*number)
	return &n
}

// unusual is the schema of values that package workloads reads in its own way.
func unusual(as string, tag reflect.StructTag) *jsonschema.Schema {
	zero, one := 0.0, 1.0
	word := &jsonschema.Schema{Ref: "#/$defs/word"}
	switch as {
	case "gpus":
		most := float64(layout.MaxGPUs)
		gpus := &jsonschema.Schema{Type: "integer", Minimum: &one, Maximum: &most}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{gpus, {Type: "object", PropertyNames: word, AdditionalProperties: gpus}}}
	case "settings":
		s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: never()}
		for _, key := range layout.PartitionKeys() {
			s.Properties[key] = &jsonschema.Schema{Types: []string{"string", "integer"}}
		}
		return s
	case "licenses":
		return &jsonschema.Schema{Type: "object", PropertyNames: word, AdditionalProperties: value(reflect.TypeFor[int](), reflect.StructTag(`range:"`+tag.Get("range")+`"`))}
	case "tres":
		return &jsonschema.Schema{
			Type:                 "object",
			PropertyNames:        &jsonschema.Schema{Pattern: "^(cpu|node|mem|gres/gpu(:[A-Za-z0-9][A-Za-z0-9_.-]{0,249})?)$"},
			AdditionalProperties: &jsonschema.Schema{Types: []string{"integer", "string"}, Minimum: &zero},
		}
	default:
		return &jsonschema.Schema{Type: "string"}
	}
}

// plain is a meaning without links and marks.
func plain(about string) string {
	text := regexp.MustCompile(`\[([^]]+)\]\([^)]+\)`).ReplaceAllString(workloads.Phrases().Replace(about), "$1")
	return strings.ReplaceAll(input.Markdown(text), "`", "")
}
