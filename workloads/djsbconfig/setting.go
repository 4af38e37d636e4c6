package djsbconfig

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/workloads"
)

// DJSBOption is an option of a configuration.
type DJSBOption struct {
	// Path is the option's path in the file, such as "simulation.total_tasks".
	Path string
	Kind OptionKind
	// About says in a few words what it is.
	About string
}

// OptionKind is what the value of an option is.
type OptionKind string

// The kinds of options. A list has commas between its entries.
const (
	KindInteger  OptionKind = "int"
	KindIntegers OptionKind = "ints"
	KindDuration OptionKind = "duration"
	KindMemory   OptionKind = "size"
	KindFlag     OptionKind = "bool"
	KindWord     OptionKind = "word"
	KindWords    OptionKind = "words"
	KindText     OptionKind = "text"
)

// Flag is the option's name on a command line, such as "simulation-total-tasks".
func (o DJSBOption) Flag() string { return strings.NewReplacer("_", "-", ".", "-").Replace(o.Path) }

// DJSBOptions returns all options but the name, in the order of a file.
func DJSBOptions() []DJSBOption {
	var list []DJSBOption
	input.Walk[DJSB](func(path, about string, value any) {
		if path != "name" {
			list = append(list, DJSBOption{path, kindOf(value), about})
		}
	})
	return list
}

// kindOf is the kind of the values of a field's type.
func kindOf(value any) OptionKind {
	switch value.(type) {
	case int:
		return KindInteger
	case []int:
		return KindIntegers
	case workloads.Duration:
		return KindDuration
	case workloads.Memory:
		return KindMemory
	case bool:
		return KindFlag
	case System:
		return KindWord
	case string:
		return KindText
	default:
		return KindWords
	}
}

// DJSBSetting is the value that a command line gives an option.
type DJSBSetting struct {
	DJSBOption
	Value string
}

// read puts the setting into the configuration. Its faults are the document's, by the name
// of the flag.
func (s DJSBSetting) read(c *DJSB, doc *input.Document) {
	section, key, nested := strings.Cut(s.Path, ".")
	text := s.Path + ": " + s.yaml()
	if nested {
		text = section + ": {" + key + ": " + s.yaml() + "}"
	}
	// The path may have had a fault in the file, which the setting replaces.
	doc.Instead(s.Path, "--"+s.Flag(), s.Value, text, func(root *input.Mapping) { root.ReadAll(c) })
}

// yaml is the value in YAML: what is no number or truth value where one is wanted is text
// there, which the reader refuses.
func (s DJSBSetting) yaml() string {
	quoted := func(text string) string {
		// A string always has a JSON form, which YAML shares.
		form, _ := json.Marshal(text)
		return string(form)
	}
	plain := func(text string) string {
		if _, err := strconv.Atoi(text); err == nil || text == "true" || text == "false" {
			return text
		}
		return quoted(text)
	}
	list := func(entry func(string) string) string {
		words := strings.Split(s.Value, ",")
		for i, word := range words {
			words[i] = entry(word)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	switch s.Kind {
	case KindInteger, KindFlag:
		return plain(s.Value)
	case KindIntegers:
		return list(plain)
	case KindWords:
		return list(quoted)
	default:
		return quoted(s.Value)
	}
}
