package slurmctl_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// recordedTopology is what Slurm 24.11.5 printed for a tree of three levels.
const recordedTopology = `SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]
SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[3-4]
SwitchName=t1 Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[1-2]
`

// printedBlocks has the lines of _print_topo_record in src/plugins/topology/block/topology_block.c.
const printedBlocks = `BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2
BlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2
BlockName=b3 BlockIndex=2 Nodes=n5 BlockSize=2
AggregatedBlock=b[1-2] BlockIndex=3 Nodes=n[1-4] BlockSize=4
AggregatedBlock=b[1-3] BlockIndex=4 Nodes=n[1-5] BlockSize=8
`

func TestParseTopology(t *testing.T) {
	got, err := slurmctl.ParseTopology([]byte(recordedTopology))
	want := []slurmctl.Switch{
		{Name: "s1", Nodes: []string{"n1", "n2"}},
		{Name: "s2", Nodes: []string{"n3", "n4"}},
		{Name: "t1", Level: 1, Nodes: []string{"n1", "n2", "n3", "n4"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	got, err = slurmctl.ParseTopology([]byte(printedBlocks))
	want = []slurmctl.Switch{
		{Name: "b1", Nodes: []string{"n1", "n2"}},
		{Name: "b2", Nodes: []string{"n3", "n4"}},
		{Name: "b3", Nodes: []string{"n5"}},
		{Name: "b[1-2]", Level: 1, Nodes: []string{"n1", "n2", "n3", "n4"}},
		{Name: "b[1-3]", Level: 2, Nodes: []string{"n1", "n2", "n3", "n4", "n5"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	// A leaf switch can have no nodes.
	empty := slurmctl.Switch{Name: "s3"}
	if got, err = slurmctl.ParseTopology([]byte("SwitchName=s3 Level=0 LinkSpeed=1 Nodes=\n")); len(got) != 1 || !reflect.DeepEqual(got[0], empty) || err != nil {
		t.Errorf("got %v, %v, want %v", got, err, empty)
	}
	// topology/flat prints nothing at all.
	if got, err = slurmctl.ParseTopology(nil); got != nil || err != nil {
		t.Errorf("a flat topology is %v, %v", got, err)
	}
}

func TestParseTopologyFaults(t *testing.T) {
	for _, c := range []struct{ old, new, field string }{
		{"SwitchName=s2", "Switch=s2", "SwitchName"},
		{"Level=1", "Level=top", "Level"},
		{"Nodes=n[1-2]", "Nodes=n[2-", "Nodes"},
		{"Nodes=n[1-2]", "", "Nodes"},
	} {
		_, err := slurmctl.ParseTopology([]byte(strings.Replace(recordedTopology, c.old, c.new, 1)))
		var fault *slurmctl.ParseError
		if !errors.As(err, &fault) || fault.Field != c.field {
			t.Errorf("%s for %s: got %v, want a fault of %s", c.new, c.old, err, c.field)
		}
	}
}

func FuzzParseTopology(f *testing.F) {
	f.Add([]byte(recordedTopology))
	f.Add([]byte(printedBlocks))
	f.Fuzz(func(t *testing.T, text []byte) {
		switches, err := slurmctl.ParseTopology(text)
		var fault *slurmctl.ParseError
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("got %v, want a *ParseError", err)
		}
		for _, s := range switches {
			if s.Name == "" || s.Level < 0 {
				t.Errorf("switch %+v has no name, or a level below 0", s)
			}
		}
	})
}
