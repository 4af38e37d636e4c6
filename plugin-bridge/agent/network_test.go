package agent

import (
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/slurmctl"
)

func TestNetwork(t *testing.T) {
	index := map[string]int{"n1": 0, "n2": 1, "n3": 2, "n4": 3, "n5": 4}
	for _, c := range []struct {
		name   string
		tree   []slurmctl.Switch
		above  [][]int
		leaves []int
	}{
		{name: "flat"},
		{"two levels", []slurmctl.Switch{
			{Name: "a", Nodes: []string{"n1", "n2"}}, {Name: "b", Nodes: []string{"n3", "n4", "n5"}},
			{Name: "top", Level: 1, Nodes: []string{"n1", "n2", "n3", "n4", "n5"}},
		}, [][]int{{0, 0}, {0, 0}, {1, 0}, {1, 0}, {1, 0}}, []int{3, 2}},
		{"a short branch and a node without a switch", []slurmctl.Switch{
			{Name: "a", Nodes: []string{"n1"}}, {Name: "b", Nodes: []string{"n2"}}, {Name: "c", Nodes: []string{"n3", "n4"}},
			{Name: "ab", Level: 1, Nodes: []string{"n1", "n2"}},
			{Name: "top", Level: 2, Nodes: []string{"n1", "n2", "n3", "n4"}},
		}, [][]int{{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {2, 1, 0}, {3, 2, 1}}, []int{2, 1, 1, 1}},
	} {
		n, err := newNetwork(c.tree, index)
		if err != nil || !reflect.DeepEqual(n.above, c.above) || !reflect.DeepEqual(n.leaves, c.leaves) {
			t.Errorf("%s: got %+v, %v", c.name, n, err)
		}
	}
	_, err := newNetwork([]slurmctl.Switch{{Name: "a", Nodes: []string{"n9"}}}, index)
	if err == nil || !strings.Contains(err.Error(), "switch a has node n9, which is not") {
		t.Errorf("an unknown node: %v", err)
	}
}

// sbatch(1) on --switches: "the maximum count of leaf switches desired for the
// job allocation".
func TestNetworkObstacle(t *testing.T) {
	n := network{leaves: []int{4, 4, 2}}
	for _, c := range []struct {
		switches, nodes int
		obstacle        string
	}{
		{0, 10, ""}, {1, 0, ""}, {1, 4, ""}, {2, 8, ""}, {5, 10, ""},
		{1, 5, "it wants 5 nodes below 1 leaf switches, which have 4 at most"},
		{2, 9, "it wants 9 nodes below 2 leaf switches, which have 8 at most"},
	} {
		r := bidding.Job{Nodes: c.nodes, Options: bidding.JobOptions{Switches: c.switches}}
		if got := n.obstacle(r); got != c.obstacle {
			t.Errorf("%d switches, %d nodes: got %q, want %q", c.switches, c.nodes, got, c.obstacle)
		}
		if got := (network{}).obstacle(r); got != "" {
			t.Errorf("a flat network has the obstacle %q", got)
		}
	}
}
