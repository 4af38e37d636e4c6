package workloads

import (
	"fmt"
	"slices"
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
		if used, fewest := tree.Switches(c.nodes); used != c.used || fewest != c.fewest {
			t.Errorf("%v: got %d and %d, want %d and %d", c.nodes, used, fewest, c.used, c.fewest)
		}
	}
}

// Nothing spans fewer switches than it needs.
func TestTreeSwitchesBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := Tree{Nodes: rapid.IntRange(1, 20).Draw(t, "leaf")}
		nodes := rapid.SliceOfDistinct(rapid.IntRange(0, 100), rapid.ID).Draw(t, "nodes")
		before := fmt.Sprint(nodes)
		if used, fewest := tree.Switches(nodes); used < fewest || used > len(nodes) {
			t.Errorf("%d nodes use %d switches, the fewest are %d", len(nodes), used, fewest)
		}
		if fmt.Sprint(nodes) != before {
			t.Error("the nodes were changed")
		}
	})
}
