package conf_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

func TestTopologyFile(t *testing.T) {
	s := spec()
	s.Nodes, s.SwitchLevels = 10, []int{2, 6, 10}
	all := files(t, s)
	if !strings.Contains(all["slurm.conf"], "\nTopologyPlugin=topology/tree\n") {
		t.Error("slurm.conf does not name topology/tree")
	}
	// topology.conf(5): each leaf switch has Nodes, each other one Switches.
	want := `SwitchName=l0s1 Nodes=n[1-2]
SwitchName=l0s2 Nodes=n[3-4]
SwitchName=l0s3 Nodes=n[5-6]
SwitchName=l0s4 Nodes=n[7-8]
SwitchName=l0s5 Nodes=n[9-10]
SwitchName=l1s1 Switches=l0s[1-3]
SwitchName=l1s2 Switches=l0s[4-5]
SwitchName=l2s1 Switches=l1s[1-2]
`
	if got := all["topology.conf"]; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Lines of topology.conf are as the machine has them.
func TestTopologyFileOfList(t *testing.T) {
	s := spec()
	s.Nodes = 5
	s.Switches = []layout.Switch{{Name: "a", Nodes: "n[1-2,5]"}, {Name: "b", Nodes: "n[3-4]"}, {Name: "top", Switches: "a,b"}}
	all := files(t, s)
	if want := "SwitchName=a Nodes=n[1-2,5]\nSwitchName=b Nodes=n[3-4]\nSwitchName=top Switches=a,b\n"; all["topology.conf"] != want || !strings.Contains(all["slurm.conf"], "\nTopologyPlugin=topology/tree\n") {
		t.Errorf("got\n%s\nwant\n%s", all["topology.conf"], want)
	}
	s.SwitchLevels, s.Switches = []int{5}, s.Switches[:2:2]
	s.Switches[1].Nodes = "n[3-6]"
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "switches: not allowed beside switch_levels") || !strings.Contains(err.Error(), "switches[1].nodes: got \"n[3-6]\"") {
		t.Error(err)
	}
}

func TestFlatNetwork(t *testing.T) {
	all := files(t, spec())
	if _, found := all["topology.conf"]; found || strings.Contains(all["slurm.conf"], "TopologyPlugin") {
		t.Error("a flat network has a topology")
	}
}

func TestBadLevels(t *testing.T) {
	for _, levels := range [][]int{{0, 1408}, {16}, {16, 100, 1408}, {16, 16, 1408}, {32, 16, 1408}, {16, 2000}} {
		s := spec()
		s.SwitchLevels = levels
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "switch_levels: ") {
			t.Errorf("%v: got %v", levels, err)
		}
		if _, err := conf.Files(s, conf.Nodes{}, conf.Root()); err == nil {
			t.Errorf("%v is rendered", levels)
		}
	}
}

// topology.conf(5), "topology/block".
func TestBlocksFile(t *testing.T) {
	s := spec()
	s.Nodes, s.BlockNodes, s.BlockSizes = 10, []int{4, 4, 2}, []int{2, 4}
	all := files(t, s)
	if !strings.Contains(all["slurm.conf"], "\nTopologyPlugin=topology/block\n") {
		t.Error("slurm.conf does not name topology/block")
	}
	want := "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\nBlockName=b3 Nodes=n[9-10]\nBlockSizes=2,4\n"
	if got := all["topology.conf"]; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.BlockSizes = nil
	if got := files(t, s)["topology.conf"]; strings.Contains(got, "BlockSizes") {
		t.Errorf("got\n%s\nwant Slurm's default sizes", got)
	}
}

func TestBadBlocks(t *testing.T) {
	for want, change := range map[string]func(*conf.Spec){
		"want numbers from 1 that are nodes=10 in all": func(s *conf.Spec) { s.BlockNodes = []int{4, 4} },
		"[11 -1] is not allowed":                       func(s *conf.Spec) { s.BlockNodes = []int{11, -1} },
		"beside switches":                              func(s *conf.Spec) { s.SwitchLevels = []int{2, 10} },
		"beside an external scheduler":                 func(s *conf.Spec) { s.Scheduler = conf.Scheduler{Type: conf.Backfill, External: true} },
	} {
		s := spec()
		s.Nodes, s.BlockNodes = 10, []int{4, 6}
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
