package values

import (
	"reflect"
	"strings"
	"testing"
)

// The states are what node_state_string, node_state_string_complete and node_state_string_compact write
// (src/common/slurm_protocol_defs.c), of Slurm 20.11 and 26.05.
func TestReadNodeState(t *testing.T) {
	down, drained := NodeState{Down: true}, NodeState{Drained: true}
	power := NodeState{Power: true}
	for text, want := range map[string]NodeState{
		"": {}, "IDLE": {}, "ALLOCATED+": {}, "MIXED-": {}, "MIX@": {}, "IDLE+EXTERNAL": {}, "UNKNOWN": {}, "IDLE+DYNAMIC_FUTURE": {}, "IDLE+PLANNED": {}, "PLND": {},
		"IDLE*": down, "IDLE+NOT_RESPONDING": down, "UNKNOWN*": down, "idle*": down, "DOWN^": down,
		"DRAIN": drained, "DRAINED": drained, "DRAINING@": drained, "DRNG": drained, "drng": drained, "FAIL": drained, "FAILG": drained, "INVAL": drained, "IDLE+INVALID_REG": drained, "MIXED+DRAIN": drained,
		"DOWN*+DRAIN": {Down: true, Drained: true}, "FAIL*": {Down: true, Drained: true},
		"DOWN$": {Down: true, Maintenance: true}, "IDLE+MAINTENANCE": {Maintenance: true}, "MAINT": {Maintenance: true}, "MAINT*": {Maintenance: true, Down: true},
		"DOWN#+CLOUD": {Down: true, Power: true}, "IDLE+CLOUD+POWERED_DOWN": power, "IDLE~": power, "POWRING_DN": power,
		"ALLOCATED+CLOUD+NOT_RESPONDING+POWERING_UP": power, "DOWN+POWERED_DOWN": {Down: true, Power: true},
		"FUTURE": {Future: true}, "FUTURE*": {Future: true, Down: true},
		"IDLE+SLEEPY": {Unknown: []string{"SLEEPY"}},
	} {
		if got := ReadNodeState(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

func FuzzReadNodeState(f *testing.F) {
	for _, text := range []string{"IDLE*", "DOWN#+CLOUD", "DOWN*+DRAIN", "drng$", "+", "*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// What joins words says nothing by itself.
		if got, want := ReadNodeState("+"+text+"+"), ReadNodeState(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
		for _, word := range ReadNodeState(text).Unknown {
			if !strings.Contains(strings.ToUpper(text), word) {
				t.Errorf("%q: got the unknown word %q", text, word)
			}
		}
	})
}
