package workloads

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/input"
)

// Issue 16, item 6: YAML bombs get one clear error. Of texts below 64 KiB
// the parser takes up to 57 s for what is nested, and an alias could stand for 9 times 9
// times 9 values.
func TestYAMLBombs(t *testing.T) {
	deep := "document: lists and mappings nested too deeply, allowed up to 32"
	for _, tt := range []struct{ name, text, want string }{
		{"open brackets", strings.Repeat("[", 60_000), "m.yaml:1: " + deep},
		{"closed brackets", strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000), "m.yaml:1: " + deep},
		{"mappings", "nodes: 1\n" + strings.Repeat("{a: ", 15_000), "m.yaml:2: " + deep},
		{"lists in a line", strings.Repeat("- ", 30_000), "m.yaml:1: " + deep},
		{"keys in a line", strings.Repeat("? ", 30_000), "m.yaml:1: " + deep},
		{"brackets over lines", strings.Repeat("[\n", 100), "m.yaml:33: " + deep},
		{"document", strings.Repeat("#\n", 1<<20), "m.yaml:1: document: got 2097152 bytes, allowed up to 1048576"},
		{"aliases", "a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nnodes: *b\ncores: 1\n", "m.yaml:3: nodes: got a YAML alias, allowed a whole number"},
		{"numbers", "nodes: 9223372036854775808\ncores: 1e18\n", "m.yaml:1: nodes: got 9223372036854775808, allowed a whole number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseMachine("m.yaml", []byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %.300v\nwant %s", err, tt.want)
			}
			if _, err = parseGenerator("m.yaml", []byte(tt.text)); err == nil {
				t.Error("a workload: no error")
			}
		})
	}
}

// What people write is not nested too deeply.
func TestOwnFilesAreNoBombs(t *testing.T) {
	for _, b := range Builtins() {
		if _, err := b.load(); err != nil {
			t.Error(err)
		}
	}
	if _, line, err := input.Parse([]byte(strings.Repeat("- {a: [1, 2], b: {c: 1}}\n- - - 1\n", 100))); err != nil {
		t.Errorf("line %d of a flat file: %v", line, err)
	}
}

// Any bytes give a machine within its bounds or an error.
func FuzzParseMachine(f *testing.F) {
	f.Add([]byte("nodes: 4\ncores: 8\ngpus: 2\nswitches: {nodes: 2, fanout: 2}\n"))
	f.Add([]byte("a: &a [1]\nnodes: *a\n"))
	f.Add([]byte("groups:\n- {name: a, count: 2, cores: 4, gpus: {v100: 2}, memory: 4GiB}\npartitions: [{name: p, groups: [a], max_time: 1-0}]\ndown_nodes: [{nodes: n2}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMachine("m.yaml", data)
		if err == nil && m.CheckSize("machine") != nil {
			t.Fatalf("accepted %+v: %v", m, m.CheckSize("machine"))
		}
		if err == nil && m.Unequal() && (m.AllCores() < 1 || len(m.Sizes()) != m.Nodes) {
			t.Fatalf("%+v has %d cores in service on %d nodes", m, m.AllCores(), len(m.Sizes()))
		}
	})
}
