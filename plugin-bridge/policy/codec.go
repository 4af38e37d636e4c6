package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/pflag"
)

// Flags adds a flag for each parameter that has one. They set p, whose values are
// the flags' defaults.
func (p *Parameters) Flags(flags *pflag.FlagSet) {
	for _, k := range p.knobs() {
		if k.place&inFlags == 0 {
			continue
		}
		f := flags.VarPF(k, k.name, "", k.help)
		if k.Type() == "bool" {
			f.NoOptDefVal = "true"
		}
		if k.none() {
			// The help has no default for it.
			f.DefValue = ""
		}
	}
}

// Values returns by name of a flag the words that are allowed there with the method of p,
// for each flag that takes one of a few words.
func (p *Parameters) Values() map[string][]string {
	values := map[string][]string{}
	for _, k := range p.knobs() {
		if k.place&inFlags != 0 && k.values != nil {
			values[k.name] = k.values
		}
	}
	return values
}

// read sets the parameters that an entry of policies.yaml names.
func (p *Parameters) read(items yaml.MapSlice) error {
	byKey := map[string]knob{}
	for _, k := range p.knobs() {
		if k.place&inFile != 0 {
			byKey[k.fileKey()] = k
		}
	}
	for _, item := range items {
		key := fmt.Sprint(item.Key)
		k, known := byKey[key]
		if !known {
			return fmt.Errorf("parameters: unknown field %q", key)
		}
		if err := k.Set(fmt.Sprint(item.Value)); err != nil {
			return fmt.Errorf("parameters: %s: %w", key, err)
		}
	}
	return nil
}

// MarshalYAML returns the parameters as an entry of policies.yaml could have them.
func (p Parameters) MarshalYAML() (any, error) {
	var items yaml.MapSlice
	for _, k := range p.knobs() {
		if k.place&inFile != 0 && !k.none() && !k.unread(p.Method) {
			items = append(items, yaml.MapItem{Key: k.fileKey(), Value: k.content()})
		}
	}
	return items, nil
}

// MarshalJSON returns the parameters as run.json has them.
func (p Parameters) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for _, k := range p.knobs() {
		if k.none() || k.unread(p.Method) {
			continue
		}
		value, err := json.Marshal(k.content())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.jsonKey(), err)
		}
		fmt.Fprintf(&out, ",%q:%s", k.jsonKey(), value)
	}
	return append([]byte("{"), append(bytes.TrimPrefix(out.Bytes(), []byte(",")), '}')...), nil
}

// UnmarshalJSON reads what MarshalJSON wrote. What it does not name stays as it is.
func (p *Parameters) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	for _, k := range p.knobs() {
		value, there := values[k.jsonKey()]
		if !there {
			continue
		}
		if err := json.Unmarshal(value, k.value); err != nil {
			return fmt.Errorf("%s: %w", k.jsonKey(), err)
		}
	}
	return nil
}

// content is the value itself.
func (k knob) content() any { return reflect.ValueOf(k.value).Elem().Interface() }

// fileKey is the parameter's key in policies.yaml.
func (k knob) fileKey() string { return strings.ReplaceAll(k.name, "-", "_") }

// jsonKey is the parameter's key in run.json, where times are whole nanoseconds.
func (k knob) jsonKey() string {
	if k.key != "" {
		return k.key
	}
	if _, is := k.value.(*time.Duration); is {
		return k.fileKey() + "_ns"
	}
	return k.fileKey()
}
