package workloads

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTreeLevels(t *testing.T) {
	for _, c := range []struct {
		tree  Tree
		nodes int
		want  []int
	}{
		{Tree{}, 128, nil},
		{Tree{Nodes: 16}, 128, []int{16, 128}},
		{Tree{Nodes: 16, Fanout: 4}, 128, []int{16, 64, 128}},
		{Tree{Nodes: 16, Fanout: 8}, 128, []int{16, 128}},
		{Tree{Nodes: 2, Fanout: 3}, 20, []int{2, 6, 18, 20}},
		{Tree{Nodes: 128}, 128, []int{128}},
		{Tree{Nodes: 200}, 128, []int{128}},
	} {
		if got := c.tree.Levels(c.nodes); !slices.Equal(got, c.want) {
			t.Errorf("%+v of %d nodes: got %v, want %v", c.tree, c.nodes, got, c.want)
		}
	}
}

func TestTreeSwitches(t *testing.T) {
	tree := Tree{Nodes: 4}
	for _, c := range []struct {
		nodes        []int
		used, fewest int
	}{
		{[]int{0, 1, 2, 3}, 1, 1},
		{[]int{2, 3, 4, 5}, 2, 1},
		{[]int{0, 5, 9, 13, 14}, 4, 2},
		{[]int{13, 0}, 2, 1},
		{nil, 0, 0},
	} {
		if used, fewest := tree.Leaves(16).Switches(c.nodes); used != c.used || fewest != c.fewest {
			t.Errorf("%v: got %d and %d, want %d and %d", c.nodes, used, fewest, c.used, c.fewest)
		}
	}
}

// A list of switches of unequal numbers of nodes, of which one has a gap.
func TestTreeOfList(t *testing.T) {
	const equal = "nodes: 9\ncores: 8\nswitches:\n  list:\n"
	m, err := ParseMachine("t.yaml", []byte(equal+"    - {name: a, nodes: \"n[1-2,5]\"}\n    - {name: b, nodes: \"n[3-4]\"}\n    - {name: c, nodes: \"n[6-9]\"}\n    - {name: mid, switches: \"a,b\"}\n    - {name: top, switches: \"mid,c\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Switches.Flat() || m.Switches.Levels(m.Nodes) != nil {
		t.Errorf("%+v", m.Switches)
	}
	leaves := m.Switches.Leaves(m.Nodes)
	for _, c := range []struct {
		nodes        []int
		used, fewest int
	}{
		{[]int{0, 1, 4}, 1, 1}, {[]int{4, 5}, 2, 1}, {[]int{0, 2, 5, 6, 7}, 3, 2}, {[]int{0, 1, 2, 3, 4, 5, 6, 7}, 3, 3},
	} {
		if used, fewest := leaves.Switches(c.nodes); used != c.used || fewest != c.fewest {
			t.Errorf("%v: got %d and %d, want %d and %d", c.nodes, used, fewest, c.used, c.fewest)
		}
	}
	m.Name = "t"
	m.Layout = m.WithLayout().Layout
	if again, err := ParseMachine("again.yaml", []byte(MachineFile(m))); err != nil || !slices.Equal(again.Switches.List, m.Switches.List) {
		t.Errorf("got %+v, %v from\n%s", again.Switches, err, MachineFile(m))
	}
	for text, want := range map[string]string{
		"    - {name: a, nodes: \"n[1-9]\"}\n  fanout: 2\n":                        "switches.list: got it beside nodes 0, fanout 2, allowed in the place of them",
		"    - {name: a, nodes: \"n[1-8]\"}\n":                                     "switches.list: got no leaf switch with node n9, allowed each node below one leaf switch",
		"    - {name: a, nodes: \"n[1-10]\"}\n":                                    "switches.list[0].nodes: got \"n[1-10]\", allowed nodes of the machine, such as n[1-9]",
		"    - {name: a, nodes: \"n[1-9]\", switches: b}\n":                        "switches.list[0].nodes: got \"n[1-9]\" beside switches \"b\", allowed one of nodes and switches",
		"    - {name: a}\n":                                                        "switches.list[0].nodes: missing, allowed one of nodes and switches",
		"    - {name: a, nodes: \"n[1-9]\"}\n    - {name: a, switches: a}\n":       "switches.list[1].name: got \"a\" twice",
		"    - {name: a, nodes: \"n[1-5]\"}\n    - {name: b, nodes: \"n[5-9]\"}\n": "switches.list[1].nodes: got n5 again",
		"    - {name: top, switches: a}\n    - {name: a, nodes: \"n[1-9]\"}\n":     "switches.list[0].switches: got \"a\", allowed names of switches that stand before it",
		"    - {name: a, nodes: \"m[1-9]\"}\n":                                     "switches.list[0].nodes: got \"m[1-9]\"",
		"    - {name: a b, nodes: \"n[1-9]\"}\n":                                   "switches.list[0].name: got \"a b\"",
	} {
		if _, err := ParseMachine("t.yaml", []byte(equal+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// Nothing spans fewer switches than it needs.
func TestTreeSwitchesBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := Tree{Nodes: rapid.IntRange(1, 20).Draw(t, "leaf")}
		nodes := rapid.SliceOfDistinct(rapid.IntRange(0, 100), rapid.ID).Draw(t, "nodes")
		before := fmt.Sprint(nodes)
		if used, fewest := tree.Leaves(101).Switches(nodes); used < fewest || used > len(nodes) {
			t.Errorf("%d nodes use %d switches, the fewest are %d", len(nodes), used, fewest)
		}
		if fmt.Sprint(nodes) != before {
			t.Error("the nodes were changed")
		}
	})
}

// Slurm ignores --switches without a tree, and gives a job that needs more leaf switches all of them after max_switch_wait (slurm.conf(5)). A tree has 3, 2 and 4 nodes below
// its leaf switches.
func TestSwitchesOfJobs(t *testing.T) {
	uneven, err := ParseMachine("u.yaml", []byte("name: u\nnodes: 9\ncores: 8\nswitches:\n  list:\n    - {name: a, nodes: \"n[1-2,5]\"}\n    - {name: b, nodes: \"n[3-4]\"}\n"+
		"    - {name: c, nodes: \"n[6-9]\"}\n    - {name: mid, switches: \"a,b\"}\n    - {name: top, switches: \"mid,c\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	even := Machine{Name: "e", Nodes: 9, Cores: 8, Switches: Tree{Nodes: 4}}
	for _, c := range []struct {
		m               Machine
		nodes, switches int
		want            string
	}{
		{uneven, 4, 1, ""}, {uneven, 7, 2, ""}, {uneven, 9, 3, ""}, {uneven, 9, 5, ""}, {uneven, 1, 1, ""},
		{uneven, 5, 1, "switches: got 1, allowed 0, or 2 and more: 5 nodes of machine u are below at least as many leaf switches"},
		{uneven, 8, 2, "switches: got 2, allowed 0, or 3 and more"},
		{even, 4, 1, ""}, {even, 8, 2, ""}, {even, 9, 2, "switches: got 2, allowed 0, or 3 and more"},
		{Machine{Name: "f", Nodes: 9, Cores: 8}, 2, 1, "switches: got 1, allowed 0: machine f has no switches, without which Slurm ignores it"},
	} {
		j := Job{ID: 1, Runtime: 60, Limit: 120, Nodes: c.nodes, Cores: c.nodes, Class: "a", Options: Options{Switches: c.switches}}
		var faults []string
		for _, f := range append(j.optionFaults(), j.misfits(c.m)...) {
			faults = append(faults, f.Error())
		}
		if got := strings.Join(faults, "\n"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d nodes of machine %s below %d switches: got %q, want %q", c.nodes, c.m.Name, c.switches, got, c.want)
		}
		if j.HasSwitches(c.m) != (c.want == "") {
			t.Errorf("%d nodes of machine %s below %d switches: %t", c.nodes, c.m.Name, c.switches, j.HasSwitches(c.m))
		}
	}
}
