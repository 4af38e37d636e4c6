package layout_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// campus has three groups, two types of GPUs, and two nodes out of service.
func campus() layout.Layout {
	return layout.Layout{
		Groups: []layout.Group{
			{Name: "thin", Count: 3, Sockets: 2, Cores: 8, Threads: 1, Memory: 1000, Weight: 1},
			{Name: "volta", Count: 2, Sockets: 1, Cores: 4, Threads: 2, Memory: 4000, GPUs: []layout.GPU{{Type: "v100", Count: 2}}, Weight: 2},
			{Name: "mixed", Count: 1, Sockets: 1, Cores: 4, Threads: 1, Memory: 4000, GPUs: []layout.GPU{{Type: "v100", Count: 1}, {Type: "a100", Count: 4}}, Weight: 3},
		},
		Partitions: []layout.Partition{
			{Name: "batch", Groups: []string{"thin", "volta"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1},
			{Name: "gpu", Groups: []string{"volta", "mixed"}, PriorityTier: 1, PriorityJobFactor: 1},
		},
		Down: []layout.Down{{Nodes: "n[2,4]", State: layout.StateDrain, Reason: "fan"}},
	}
}

func TestLayout(t *testing.T) {
	l := campus()
	if faults := l.Faults(); len(faults) > 0 {
		t.Fatal(faults)
	}
	if cores, gpus := l.Most(); l.Nodes() != 6 || cores != 8 || gpus != 5 {
		t.Errorf("%d nodes, at most %d cores and %d GPUs", l.Nodes(), cores, gpus)
	}
	if got := l.InService(); !slices.Equal(got, []int{2, 1, 1}) {
		t.Errorf("in service: %v", got)
	}
	if got := l.OutOfService(); !slices.Equal(got, []bool{false, true, false, true, false, false}) {
		t.Errorf("out of service: %v", got)
	}
	if got := l.GPUTypes(); !slices.Equal(got, []string{"v100", "a100"}) {
		t.Errorf("types: %v", got)
	}
	if mixed := l.Groups[2]; mixed.OfType("v100") != 1 || mixed.OfType("") != 5 || mixed.OfType("h100") != 0 {
		t.Errorf("GPUs of %+v", mixed)
	}
	if p, ok := l.Find(""); !ok || p.Name != "batch" {
		t.Errorf("default partition %+v", p)
	}
	// 1000 MiB for 8 cores is the least.
	if got := l.MemoryPerCore(); got != 125 {
		t.Errorf("%d MiB per core", got)
	}
}

func set(l *layout.Layout, key, value string) {
	l.Partitions[1].Settings = map[string]string{key: value}
}

// Each change breaks one rule of docs/machines.md.
func TestFaults(t *testing.T) {
	for want, change := range map[string]func(*layout.Layout){
		`groups: got 0 groups`:                                    func(l *layout.Layout) { l.Groups = nil },
		`groups[1].name: got "thin" twice`:                        func(l *layout.Layout) { l.Groups[1].Name = "thin" },
		`groups[0].count: got 0, allowed 1..10000`:                func(l *layout.Layout) { l.Groups[0].Count = 0 },
		`groups: got 20003 nodes`:                                 func(l *layout.Layout) { l.Groups[1].Count, l.Groups[2].Count = 10000, 10000 },
		`groups[0].sockets: got 3`:                                func(l *layout.Layout) { l.Groups[0].Sockets = 3 },
		`groups[1].gpus.v100: got 0, allowed 1..128`:              func(l *layout.Layout) { l.Groups[1].GPUs[0].Count = 0 },
		`groups[2].gpus.v100: got "v100" twice`:                   func(l *layout.Layout) { l.Groups[2].GPUs[1].Type = "v100" },
		`groups[2].gpus: got 130 in sum`:                          func(l *layout.Layout) { l.Groups[2].GPUs[0].Count = 126 },
		`groups[1].shards: got -1, allowed 0..100000`:             func(l *layout.Layout) { l.Groups[1].Shards = -1 },
		`groups[0].mps: got 100, allowed 0 on nodes without gpus`: func(l *layout.Layout) { l.Groups[0].MPS = 100 },
		`groups[1].mps: got 100, allowed 0 beside shards=4`:       func(l *layout.Layout) { l.Groups[1].Shards, l.Groups[1].MPS = 4, 100 },
		`groups[1].memory: got 0 MiB`:                             func(l *layout.Layout) { l.Groups[1].Memory = 0 },
		`groups[0].features[0]: got "a b"`:                        func(l *layout.Layout) { l.Groups[0].Features = []string{"a b"} },
		`partitions[1].groups: got no group`:                      func(l *layout.Layout) { l.Partitions[1].Groups = nil },
		`partitions[1].groups[0]: got unknown group "fat"`:        func(l *layout.Layout) { l.Partitions[1].Groups[0] = "fat" },
		`partitions[1].default: got a second default partition`:   func(l *layout.Layout) { l.Partitions[1].Default = true },
		`partitions: got no default partition`:                    func(l *layout.Layout) { l.Partitions[0].Default = false },
		`groups[2]: got group "mixed" in no partition`:            func(l *layout.Layout) { l.Partitions = l.Partitions[:1] },
		`down_nodes[0].nodes: got "n7", allowed the name of`:      func(l *layout.Layout) { l.Down[0].Nodes = "n7" },
		`down_nodes[0].nodes: got "rack", allowed the name of`:    func(l *layout.Layout) { l.Down[0].Nodes = "rack" },
		`down_nodes[1].nodes: got n4 twice`:                       func(l *layout.Layout) { l.Down = append(l.Down, layout.Down{Nodes: "n4", State: "down", Reason: "x"}) },
		`down_nodes[0].state: got "off", allowed drain or down`:   func(l *layout.Layout) { l.Down[0].State = "off" },
		`down_nodes[0].reason: got "a\"b"`:                        func(l *layout.Layout) { l.Down[0].Reason = `a"b` },
		`down_nodes: got all nodes, allowed at least one node th`: func(l *layout.Layout) { l.Down[0].Nodes = "n[1-6]" },
		`partitions[1].settings.Nodes: got an unknown setting`:    func(l *layout.Layout) { set(l, "Nodes", "n1") },
		`partitions[1].settings.MinNodes: got "0", allowed 1..9`:  func(l *layout.Layout) { set(l, "MinNodes", "0") },
		`partitions[1].settings.OverSubscribe: got "FORCE", all`:  func(l *layout.Layout) { set(l, "OverSubscribe", "FORCE") },
		`partitions[1].settings.QOS: got "gold", allowed nothing`: func(l *layout.Layout) { set(l, "QOS", "gold") },
		`partitions[1].settings.LLN: got "YES #", allowed print`:  func(l *layout.Layout) { set(l, "LLN", "YES #") },
		`partitions[1].settings.DenyAccounts: got unknown accou`:  func(l *layout.Layout) { set(l, "DenyAccounts", "root,chem") },
		`partitions[1].settings.MaxMemPerNode: got it beside Max`: func(l *layout.Layout) { set(l, "MaxMemPerCPU", "9"); l.Partitions[1].Settings["MaxMemPerNode"] = "9" },
	} {
		l := campus()
		change(&l)
		var got []string
		for _, f := range l.Faults() {
			got = append(got, f.Error())
		}
		if !slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, want) }) {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

// The nodes in service are those that are not out of service, whichever these are.
func TestInServiceCountsNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l layout.Layout
		for range rapid.IntRange(1, 4).Draw(t, "groups") {
			l.Groups = append(l.Groups, layout.Group{Count: rapid.IntRange(1, 5).Draw(t, "nodes")})
		}
		want := make([]int, len(l.Groups))
		for n, g := range l.GroupOf() {
			if rapid.Bool().Draw(t, "down") {
				l.Down = append(l.Down, layout.Down{Nodes: fmt.Sprintf("n%d", n+1)})
			} else {
				want[g]++
			}
		}
		if got := l.InService(); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v: got %v, want %v", l, got, want)
		}
	})
}

// The names of a site are one for each node, and of no two.
func TestHosts(t *testing.T) {
	for _, tt := range []struct{ thin, volta, want string }{
		{"cn[1-3]", "gpu1,gpu7", ""},
		{"", "gpu[1-2]", ""},
		{"cn[1-", "", "groups[0].hosts: "},
		{"cn[1-4]", "", "groups[0].hosts: got 4 names, allowed 3, one for each node"},
		{"cn[1-2],cn1", "", `groups[0].hosts: got "cn1" twice, allowed each name once`},
		{"cn[1-3]", "cn[3-4]", `groups[1].hosts: got "cn3" twice, allowed each name once`},
	} {
		l := campus()
		l.Groups[0].Hosts, l.Groups[1].Hosts = tt.thin, tt.volta
		got := ""
		for _, f := range l.Faults() {
			got += f.Error()
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s and %s: got %q, want %q", tt.thin, tt.volta, got, tt.want)
		}
	}
}

// slurm.conf(5): a job needs one of AllowAccounts. "DenyAccounts" counts where there are none. Both hold for accounts
// below the ones that they name. The QOS of a partition comes before the job's QOS, unless the latter has the flag
// OverPartQOS (sacctmgr(1)).
func TestPartitionAdmits(t *testing.T) {
	l := campus()
	l.QOS = []layout.QOS{{Name: "gold"}, {Name: "over", Flags: []string{"OverPartQOS"}}}
	l.Accounts = []layout.Account{{Name: "physics"}, {Name: "astro", Parent: "physics"}, {Name: "bio"}}
	for _, c := range []struct {
		key, value string
		accounts   string
		qos        string
	}{
		{"LLN", "NO", "root physics astro bio", "normal gold over"},
		{layout.AllowAccounts, "physics", "physics astro", "normal gold over"},
		{layout.AllowAccounts, "root", "root physics astro bio", "normal gold over"},
		{layout.DenyAccounts, "astro,bio", "root physics", "normal gold over"},
		{layout.AllowQOS, "gold", "root physics astro bio", "gold"},
		{layout.DenyQOS, "gold,normal", "root physics astro bio", "over"},
	} {
		set(&l, c.key, c.value)
		if faults := l.Faults(); len(faults) > 0 {
			t.Fatalf("%s=%s: %v", c.key, c.value, faults)
		}
		var accounts, qos []string
		for _, a := range []string{"root", "physics", "astro", "bio"} {
			if l.AdmitsAccount(l.Partitions[1], a) {
				accounts = append(accounts, a)
			}
		}
		for _, q := range []string{"normal", "gold", "over"} {
			if l.Partitions[1].AdmitsQOS(q) {
				qos = append(qos, q)
			}
		}
		if strings.Join(accounts, " ") != c.accounts || strings.Join(qos, " ") != c.qos {
			t.Errorf("%s=%s admits accounts %v and QOS %v", c.key, c.value, accounts, qos)
		}
	}
	set(&l, layout.PartitionQOS, "gold")
	for name, want := range map[string]string{"normal": "gold normal", "gold": "gold", "over": "over gold"} {
		var got []string
		for _, q := range l.QOSOfJob(name, l.Partitions[1].Name) {
			got = append(got, q.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("a job of QOS %s is under %v, want %s", name, got, want)
		}
	}
}

// An agent preempts nothing, and cannot keep to a mode in which it would.
func TestAgentsPreemptNothing(t *testing.T) {
	for value, refused := range map[string]bool{"OFF": false, "off": false, "CANCEL": true, "SUSPEND,GANG": true} {
		l := campus()
		l.Groups = l.Groups[:2]
		set(&l, "PreemptMode", value)
		if faults := l.AgentFaults(); (len(faults) > 0) != refused {
			t.Errorf("%s: got %v", value, faults)
		}
	}
}

// _distribute_count of src/plugins/gres/common/gres_c_s.c gives each GPU what is left divided by the GPUs that are left. "NodeName=tux[1-16]
// Gres=gpu:2,shard:64 will configure a count of 32 gres/shard resources on each of the two GPUs" (gres.html).
func TestPartsOfGPUs(t *testing.T) {
	for _, c := range []struct {
		gpus, count int
		want        []int
	}{{2, 64, []int{32, 32}}, {2, 7, []int{3, 4}}, {3, 8, []int{2, 3, 3}}, {2, 1, []int{0, 1}}} {
		g := layout.Group{GPUs: []layout.GPU{{Count: c.gpus}}}
		if got := g.PerGPU(c.count); !slices.Equal(got, c.want) {
			t.Errorf("%d on %d GPUs: %v, want %v", c.count, c.gpus, got, c.want)
		}
		if got, want := g.MostOfOneGPU(c.count), c.want[len(c.want)-1]; got != want {
			t.Errorf("%d on %d GPUs: one has up to %d, want %d", c.count, c.gpus, got, want)
		}
	}
}
