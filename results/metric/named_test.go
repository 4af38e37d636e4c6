package metric

import (
	"strings"
	"testing"
)

// Every name that a table, a CSV file or metrics.json shows a user is taken, and no two measures
// answer to the same one.
func TestNamedTakesWhatIsShown(t *testing.T) {
	of := map[string]string{}
	for _, m := range Measures() {
		for _, word := range []string{m.Key, m.Column, m.Name, m.Heading(), strings.ToUpper(m.Column)} {
			if got, known := Named(word); !known || got.Key != m.Key {
				t.Errorf("%q: got %q, want %q", word, got.Key, m.Key)
			}
		}
		for _, name := range m.names() {
			if other, taken := of[name]; taken && other != m.Key {
				t.Errorf("%q stands for %s and %s", name, other, m.Key)
			}
			of[name] = m.Key
		}
	}
}

func TestNamed(t *testing.T) {
	for word, want := range map[string]string{
		"waiting": "waiting_s", "waiting_s.mean": "waiting_s", "utilisation": "cpu_utilization", "gpu utilisation": "gpu_utilization", "Bounded-Slowdown": "bounded_slowdown",
		"makespan": "makespan_s", "runtime": "makespan_s", "runtime_s": "makespan_s", "runtime_h": "makespan_s", "CPU util": "cpu_utilization", "fairness": "user_fairness", "packing factor": "packing",
	} {
		if got, known := Named(word); !known || got.Key != want {
			t.Errorf("%q: got %q, want %q", word, got.Key, want)
		}
	}
	for _, word := range []string{"", "s", "waitng"} {
		if got, known := Named(word); known {
			t.Errorf("%q: got %q, want none", word, got.Key)
		}
	}
}
