package policy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// What an agent cannot know of a machine is refused before a run, and Slurm's own policies take everything.
func TestCheckMachine(t *testing.T) {
	groups := []layout.Group{{Name: "thin", Count: 2, Cores: 4}, {Name: "fat", Count: 1, Cores: 8, GPUs: []layout.GPU{{Type: "a100", Count: 2}}}}
	plain := layout.Layout{Groups: groups, Partitions: []layout.Partition{
		{Name: "all", Groups: []string{"thin", "fat"}, PriorityTier: 1}, {Name: "more", Groups: []string{"thin", "fat"}, PriorityTier: 1},
	}}
	with := func(change func(*layout.Layout)) layout.Layout {
		l := plain
		l.Groups, l.Partitions = slices.Clone(l.Groups), slices.Clone(l.Partitions)
		change(&l)
		return l
	}
	mixed := with(func(l *layout.Layout) {
		l.Groups[1].GPUs = []layout.GPU{{Type: "a100", Count: 2}, {Type: "v100", Count: 2}}
	})
	tiers := with(func(l *layout.Layout) { l.Partitions[1].PriorityTier = 2 })
	for _, c := range []struct {
		name   string
		policy string
		change func(*Policy)
		layout layout.Layout
		want   string
	}{
		{"equal nodes", Auction, nil, layout.Layout{}, ""},
		{"groups", Auction, nil, plain, ""},
		{"groups", "ipsched", nil, plain, ""},
		{"types", Backfill, nil, mixed, ""},
		{"types", Auction, nil, mixed, "machine m: policy auction has an agent: groups[1].gpus: got 2 types on each of the nodes n[3-3], allowed is one: the agent is not told which of them are free"},
		{"reservation", "auction2", nil, with(func(l *layout.Layout) { l.Reservations = []layout.Reservation{{Name: "course"}} }), ""},
		{"reservation", "ipsched", nil, with(func(l *layout.Layout) { l.Reservations = []layout.Reservation{{Name: "course"}} }),
			"machine m: policy ipsched takes any nodes for a job, and reservation course keeps some; allowed are machines without reservations"},
		{"part", "ipsched", nil, with(func(l *layout.Layout) { l.Partitions[1].Groups = l.Partitions[1].Groups[:1] }),
			"machine m: policy ipsched takes any nodes for a job, and partition more has not all; allowed are machines each partition of which has all groups"},
		{"few", "ipsched", nil, with(func(l *layout.Layout) { l.Partitions[0].MaxNodes = 1 }),
			"machine m: policy ipsched takes any number of nodes for a job, and partition all has max_nodes"},
		{"tiers", Auction, nil, tiers, ""},
		{"tiers", Auction, func(p *Policy) { p.Parameters.FairShare = time.Hour }, tiers,
			"machine m: policy auction orders the queue by fair share alone, and the partitions differ in priority_tier"},
		{"weights", Auction, func(p *Policy) { p.Priority = priority.Multifactor }, with(func(l *layout.Layout) { l.Weights.QOS = 5 }),
			"machine m: policy auction computes priorities by size and age of jobs, and does not know priority_weights; allowed is --set priority=basic"},
	} {
		p, err := Find(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		if c.change != nil {
			c.change(&p)
		}
		got := ""
		if err := p.CheckMachine("m", c.layout, false); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s under %s: %q, want %q", c.name, c.policy, got, c.want)
		}
	}
}

// A column that a policy knows is one that its agent acts on; IPSCHED "assumes that the jobs do not have explicit
// node requests" (section IV).
func TestColumns(t *testing.T) {
	for name, want := range map[string][2]string{
		"backfill": {"", ""}, "auction": {"mem_per_cpu", "priority"}, "auction2": {"licenses", "priority"},
		"auction1": {"reservation", "mem_per_node"}, "ipsched": {"partition", "reservation"},
	} {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		known := p.Columns()
		if want[0] == "" && known != nil || want[0] != "" && (!slices.Contains(known, want[0]) || slices.Contains(known, want[1])) {
			t.Errorf("%s knows %q, want %s and not %s", name, known, want[0], want[1])
		}
	}
}

// topology/block starts no job on nodes of more blocks than it plans with (eval_nodes_block in
// src/plugins/topology/block/eval_nodes_block.c), whatever nodes an agent names.
func TestAgentsRefuseBlocks(t *testing.T) {
	for name, want := range map[string]string{
		Auction:  "machine m: policy auction chooses nodes across blocks, which topology/block does not start; allowed are Slurm's own policies",
		Backfill: "",
	} {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := p.CheckMachine("m", layout.Layout{}, true); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	agents := 0
	for _, p := range all {
		err := p.CheckMachine("m", layout.Layout{}, true)
		if p.HasAgent() {
			agents++
		}
		if (err != nil) != p.HasAgent() || err != nil && !strings.Contains(err.Error(), "policy "+p.Name+" chooses nodes across blocks") {
			t.Errorf("policy %s, with an agent: %t: %v", p.Name, p.HasAgent(), err)
		}
	}
	if agents < 10 {
		t.Errorf("%d policies have an agent", agents)
	}
}
