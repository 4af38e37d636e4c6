package workloads

import (
	"strings"
	"testing"
)

// AUCSCHED section 6 gives S, M and L, AUCSCHED2 section 4 the Tsubame: "12
// cores and 3 NVIDIA M2090 GPU's on each of its nodes".
func TestBuiltinMachines(t *testing.T) {
	for _, want := range []Machine{
		{Name: "S", Nodes: 128, Cores: 8, GPUs: 2, Switches: Tree{}}, {Name: "M", Nodes: 256, Cores: 8, GPUs: 2, Switches: Tree{}}, {Name: "L", Nodes: 1024, Cores: 8, GPUs: 2, Switches: Tree{}}, {Name: "tsubame", Nodes: 1408, Cores: 12, GPUs: 3, Switches: Tree{}},
	} {
		if got := machine(t, want.Name); !got.Equal(want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if n := len(MachineNames()); n != 4 {
		t.Errorf("got %d names, want 4", n)
	}
}

func TestMachineFile(t *testing.T) {
	for _, tc := range []struct {
		file, content string
		want          Machine
	}{
		{"mini.yaml", "nodes: 4\ncores: 2\ngpus: 1\n", Machine{Name: "mini", Nodes: 4, Cores: 2, GPUs: 1, Switches: Tree{}}},
		{"mini.yml", "# no GPUs\r\nname: other_1\r\nnodes: 10000\r\ncores: 256\r\n", Machine{Name: "other_1", Nodes: 10000, Cores: 256, GPUs: 0, Switches: Tree{}}},
		{"dir/mini.conf", `{"name": "j-son", "nodes": 1, "cores": 1, "gpus": 16}`, Machine{Name: "j-son", Nodes: 1, Cores: 1, GPUs: 16, Switches: Tree{}}},
		{"tree.yaml", "nodes: 8\ncores: 2\nswitches:\n  nodes: 2\n  fanout: 3\n", Machine{Name: "tree", Nodes: 8, Cores: 2, GPUs: 0, Switches: Tree{Nodes: 2, Fanout: 3}}},
		{"star.yaml", "nodes: 8\ncores: 2\nswitches: {nodes: 4}\n", Machine{Name: "star", Nodes: 8, Cores: 2, GPUs: 0, Switches: Tree{Nodes: 4}}},
		{"my mini.yaml", "name: mini\nnodes: 1\ncores: 1\n", Machine{Name: "mini", Nodes: 1, Cores: 1, GPUs: 0, Switches: Tree{}}},
	} {
		t.Run(tc.file, func(t *testing.T) {
			if got := machine(t, write(t, tc.file, tc.content)); !got.Equal(tc.want) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestBadMachineFile(t *testing.T) {
	const good = "nodes: 4\ncores: 2\n"
	for _, tc := range []struct{ name, file, content, want string }{
		{"all faults with their lines", "m.yaml", "name: a/b\nnodes: 0\ncores: 1025\ngpus: 129\ncpus: 3\n",
			`m.yaml:1: name: got "a/b", allowed printable characters other than /
m.yaml:2: nodes: got 0, allowed 1..10000
m.yaml:3: cores: got 1025, allowed 1..1024
m.yaml:4: gpus: got 129, allowed 0..128
m.yaml:5: cpus: unknown key, allowed name, nodes, cores, gpus, groups, switches, blocks`},
		{"wrong types", "m.yaml", "name: 7\nnodes: four\ncores: 1.5\ngpus: [1]\n",
			`m.yaml:1: name: got 7, allowed text (in quotes where it looks like something else)
m.yaml:2: nodes: got "four", allowed a whole number
m.yaml:3: cores: got 1.5, allowed a whole number
m.yaml:4: gpus: got a list, allowed a whole number`},
		{"more wrong types", "m.yaml", "nodes: -1\ncores:\ngpus: {a: 1}\n",
			`m.yaml:1: nodes: got -1, allowed 1..10000
m.yaml:2: cores: got nothing, allowed a whole number
m.yaml:3: gpus: got a mapping, allowed a whole number`},
		{"too large for any integer", "m.yaml", "nodes: 99999999999999999999\ncores: 18446744073709551615\n",
			`m.yaml:1: nodes: got "99999999999999999999", allowed a whole number
m.yaml:2: cores: got 18446744073709551615, allowed a whole number`},
		{"anchors and tags", "m.yaml", "nodes: &n 4\ncores: *n\ngpus: !!int 1\n",
			`m.yaml:1: nodes: got a YAML anchor, allowed a whole number
m.yaml:2: cores: got a YAML alias, allowed a whole number
m.yaml:3: gpus: got a YAML tag, allowed a whole number`},
		{"empty", "m.yaml", "# nothing\n",
			`m.yaml:1: nodes: missing, allowed 1..10000
m.yaml:1: cores: missing, allowed 1..1024`},
		{"a switch without nodes", "m.yaml", good + "switches: {}\n",
			`m.yaml:3: switches.nodes: missing, allowed 1..10000`},
		{"a tree of one branch", "m.yaml", good + "switches:\n  nodes: 0\n  fanout: 1\n  levels: 2\n",
			`m.yaml:4: switches.nodes: got 0, allowed 1..10000
m.yaml:5: switches.fanout: got 1, allowed 2..10000
m.yaml:6: switches.levels: unknown key, allowed nodes, fanout, list`},
		{"no tree", "m.yaml", good + "switches: 16\n", `m.yaml:3: switches: got 16, allowed a mapping of keys to values`},
		{"name from the file", "..yaml", good,
			`..yaml:1: name: got ".", allowed printable characters other than /`},
		{"two documents", "m.yaml", good + "---\n" + good, `m.yaml:1: document: got 2 documents, allowed one`},
		{"a list", "m.yaml", "- nodes\n", `m.yaml:1: document: got a list, allowed a mapping of keys to values`},
		{"key twice", "m.yaml", good + "nodes: 5\n", `m.yaml:3: parse YAML: mapping key "nodes" already defined at [1:1]`},
		{"too long", "m.yaml", good + strings.Repeat("#", 1<<20), `m.yaml:1: document: got 1048594 bytes, allowed up to 1048576`},
		{"broken YAML", "m.yaml", "nodes: 4\ncores: [2\n", `m.yaml:2: parse YAML: sequence end token ']' not found`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := LoadMachine(write(t, tc.file, tc.content))
			wantError(t, err, tc.want)
			if !m.Equal(Machine{}) {
				t.Errorf("got %+v with an error", m)
			}
		})
	}
}

func TestUnknownMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := LoadMachine("XL")
	wantError(t, err, `find machine: no machine "XL", allowed S, M, L, tsubame or a .yaml file; did you mean "L"?`)
	_, err = LoadMachine("s.yaml")
	wantError(t, err, "read machine: open s.yaml: no such file or directory")
	_, err = LoadMachine("./")
	wantError(t, err, "read machine: read ./: is a directory")
}
