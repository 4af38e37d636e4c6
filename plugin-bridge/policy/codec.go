package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// read sets the parameters that an entry of policies.yaml names.
func (p *Parameters) read(items yaml.MapSlice) error {
	byKey := map[string]knob{}
	for _, k := range p.knobs() {
		if !k.recordOnly {
			byKey[k.name] = k
		}
	}
	for _, item := range items {
		key := fmt.Sprint(item.Key)
		k, known := byKey[key]
		if !known {
			return fmt.Errorf("parameters: unknown field %q%s", key, faults.DidYouMean(key, slices.Collect(maps.Keys(byKey))))
		}
		if err := k.read(fmt.Sprint(item.Value)); err != nil {
			return fmt.Errorf("parameters: %s: %w", key, err)
		}
	}
	return nil
}

// MarshalYAML returns the parameters as an entry of policies.yaml could have them.
func (p Parameters) MarshalYAML() (any, error) {
	var items yaml.MapSlice
	for _, k := range p.knobs() {
		if !k.recordOnly && !k.none() && !k.unread(p.Method) {
			items = append(items, yaml.MapItem{Key: k.name, Value: k.content()})
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

// UnmarshalJSON reads what MarshalJSON wrote. What it does not name stays as it is, or is what such a record means.
func (p *Parameters) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	for _, k := range p.knobs() {
		value, there := values[k.jsonKey()]
		if !there {
			if k.assumed != nil && k.unset() {
				k.reset()
			}
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

// jsonKey is the parameter's key in run.json, where times are whole nanoseconds.
func (k knob) jsonKey() string {
	if k.key != "" {
		return k.key
	}
	if _, is := k.value.(*time.Duration); is {
		return k.name + "_ns"
	}
	return k.name
}
