package site_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Each scenario has files, and then what is made of them. The files are written for this test,
// in the forms of slurm.conf(5), gres.conf(5), topology.conf(5) and scontrol(1).
func TestRead(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var files []site.File
		texts := map[string]string{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			t.Helper()
			switch d.Cmd {
			case "file":
				name := d.CmdArgs[0].Key
				texts[name] = d.Input
				if !d.HasArg("included") {
					files = append(files, site.File{Name: name, Text: d.Input})
				}
				return ""
			case "read":
				var memory string
				if d.HasArg("memory") {
					d.ScanArgs(t, "memory", &memory)
				}
				c, err := site.Read(files, site.ReadOptions{Memory: memory, From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Open: func(name string) (string, error) {
					if text, ok := texts[name]; ok {
						return text, nil
					}
					return "", errors.New("no such file")
				}})
				files = nil
				if err != nil {
					return err.Error()
				}
				return text(c)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func text(c site.Cluster) string {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "cluster %q, %d nodes below a leaf switch\n", c.Name, c.LeafNodes)
	for _, s := range c.Switches {
		_, _ = fmt.Fprintf(&b, "switch %s: nodes %s, switches %s\n", s.Name, s.Nodes, s.Switches)
	}
	if len(c.Blocks) > 0 {
		_, _ = fmt.Fprintf(&b, "blocks of %d nodes, sizes %d\n", c.Blocks, c.BlockSizes)
	}
	if c.Layout.JobSubmit != "" {
		_, _ = fmt.Fprintf(&b, "job_submit.lua: %q\n", c.Layout.JobSubmit)
	}
	for _, g := range c.Layout.Groups {
		_, _ = fmt.Fprintf(&b, "group %s: %d of %s: %d sockets, %d cores, %d threads, %d MiB, GPUs %v, features %v, weight %d\n",
			g.Name, g.Count, g.Hosts, g.Sockets, g.Cores, g.Threads, g.Memory, g.GPUs, g.Features, g.Weight)
		if g.Shards+g.MPS > 0 {
			_, _ = fmt.Fprintf(&b, "parts of the GPUs of %s: %d shards, %d MPS\n", g.Name, g.Shards, g.MPS)
		}
	}
	for _, p := range c.Layout.Partitions {
		_, _ = fmt.Fprintf(&b, "partition %s: %v, default %t, %d minutes, %d nodes, tier %d, factor %d%s\n",
			p.Name, p.Groups, p.Default, p.MaxTime, p.MaxNodes, p.PriorityTier, p.PriorityJobFactor, p.SettingsLine())
	}
	for _, d := range c.Layout.Down {
		_, _ = fmt.Fprintf(&b, "%s %s: %s\n", d.State, d.Nodes, d.Reason)
	}
	for _, q := range c.Layout.QOS {
		_, _ = fmt.Fprintf(&b, "QOS %s\n", asJSON(q))
	}
	for _, a := range c.Layout.Accounts {
		_, _ = fmt.Fprintf(&b, "account %s\n", asJSON(a))
	}
	for _, one := range c.Layout.Reservations {
		_, _ = fmt.Fprintf(&b, "reservation %s\n", asJSON(one))
	}
	if w := c.Layout.Weights; w != (layout.Weights{}) {
		_, _ = fmt.Fprintf(&b, "weights %s\n", asJSON(w))
	}
	for _, s := range c.Settings {
		_, _ = fmt.Fprintf(&b, "setting %s=%s\n", s.Key, s.Value)
	}
	for _, n := range c.Notes {
		_, _ = fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// A layout that is written as slurm.conf has it comes back, but for the names of its groups:
// groups that are alike and in the same partitions become one.
func TestReadsWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawLayout(t)
		for i, g := range want.Groups {
			var names []string
			for n := range g.Count {
				names = append(names, fmt.Sprintf("n%d", want.First(i)+n))
			}
			want.Groups[i].Hosts = values.CompressHosts(names)
		}
		got, err := site.Read([]site.File{{Name: "slurm.conf", Text: confOf(want)}}, site.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Notes) > 0 {
			t.Errorf("notes %q", got.Notes)
		}
		for i := range want.Groups {
			name := got.Layout.Groups[i].Name
			for _, p := range got.Layout.Partitions {
				for j := range p.Groups {
					if p.Groups[j] == name {
						p.Groups[j] = want.Groups[i].Name
					}
				}
			}
			got.Layout.Groups[i].Name = want.Groups[i].Name
		}
		if !reflect.DeepEqual(got.Layout, want) {
			t.Errorf("got\n%+v\nwant\n%+v\nof\n%s", got.Layout, want, confOf(want))
		}
	})
}

func drawLayout(t *rapid.T) layout.Layout {
	l := layout.Layout{}
	count := rapid.IntRange(1, 4).Draw(t, "groups")
	for i := range count {
		sockets := rapid.IntRange(1, 2).Draw(t, "sockets")
		g := layout.Group{
			Name: fmt.Sprintf("g-%d", i), Count: rapid.IntRange(1, 30).Draw(t, "nodes"), Sockets: sockets,
			Cores: sockets * rapid.IntRange(1, 64).Draw(t, "cores"), Threads: rapid.IntRange(1, 2).Draw(t, "threads"),
			Memory: rapid.IntRange(1000, 1<<20).Draw(t, "memory"),
			// Weights that differ keep groups apart.
			Weight: i + 1,
		}
		if rapid.Bool().Draw(t, "typed") {
			g.GPUs = []layout.GPU{{Type: "a100", Count: rapid.IntRange(1, 8).Draw(t, "a100")}, {Type: "v100", Count: rapid.IntRange(1, 8).Draw(t, "v100")}}
		} else if n := rapid.IntRange(0, 8).Draw(t, "gpus"); n > 0 {
			g.GPUs = []layout.GPU{{Count: n}}
		}
		if len(g.GPUs) > 0 {
			switch rapid.IntRange(0, 2).Draw(t, "shared") {
			case 1:
				g.Shards = rapid.IntRange(1, 64).Draw(t, "shards")
			case 2:
				g.MPS = rapid.IntRange(1, 800).Draw(t, "mps")
			}
		}
		if rapid.Bool().Draw(t, "featured") {
			g.Features = []string{"gpu", "ib"}
		}
		l.Groups = append(l.Groups, g)
	}
	whole := layout.Partition{Name: "all", Default: true, PriorityTier: rapid.IntRange(1, 3).Draw(t, "tier"), PriorityJobFactor: 1, MaxTime: rapid.IntRange(0, 10000).Draw(t, "minutes")}
	for _, g := range l.Groups {
		whole.Groups = append(whole.Groups, g.Name)
	}
	some := layout.Partition{Name: "some", Groups: []string{l.Groups[0].Name}, PriorityTier: 1, PriorityJobFactor: 5, MaxNodes: rapid.IntRange(0, 9).Draw(t, "most")}
	if rapid.Bool().Draw(t, "set") {
		some.Settings = map[string]string{"MinNodes": "2", "DefMemPerNode": fmt.Sprint(rapid.IntRange(1, 1<<20).Draw(t, "default memory")), "TRESBillingWeights": "Mem=0.25G,GRES/gpu=2.0"}
	}
	l.Partitions = []layout.Partition{whole, some}
	if l.Groups[0].Count > 1 && rapid.Bool().Draw(t, "down") {
		l.Down = []layout.Down{{Nodes: "n1", State: layout.StateDrain, Reason: "fan"}}
	}
	return l
}

func confOf(l layout.Layout) string {
	var b strings.Builder
	nodes := map[string]string{}
	for i, g := range l.Groups {
		first := l.First(i)
		nodes[g.Name] = fmt.Sprintf("n[%d-%d]", first, first+g.Count-1)
		_, _ = fmt.Fprintf(&b, "nodename=%s Sockets=%d CoresPerSocket=%d ThreadsPerCore=%d RealMemory=%d Weight=%d", nodes[g.Name], g.Sockets, g.Cores/g.Sockets, g.Threads, g.Memory, g.Weight)
		var gres []string
		for _, gpu := range g.GPUs {
			gres = append(gres, strings.Replace(fmt.Sprintf("gpu:%s:%d(S:0-1)", gpu.Type, gpu.Count), "::", ":", 1))
		}
		for name, count := range map[string]int{"shard": g.Shards, "mps": g.MPS} {
			if count > 0 {
				gres = append(gres, fmt.Sprintf("%s:%d(S:0-1)", name, count))
			}
		}
		if len(gres) > 0 {
			b.WriteString(" Gres=" + strings.Join(gres, ","))
		}
		if len(g.Features) > 0 {
			b.WriteString(" Feature=" + strings.Join(g.Features, ","))
		}
		b.WriteString("\n")
	}
	for _, p := range l.Partitions {
		var list []string
		for _, g := range p.Groups {
			list = append(list, nodes[g])
		}
		maxTime, maxNodes := "INFINITE", "UNLIMITED"
		if p.MaxTime > 0 {
			maxTime = fmt.Sprint(p.MaxTime)
		}
		if p.MaxNodes > 0 {
			maxNodes = fmt.Sprint(p.MaxNodes)
		}
		is := "NO"
		if p.Default {
			is = "YES"
		}
		_, _ = fmt.Fprintf(&b, "PartitionName=%s Nodes=%s Default=%s MaxTime=%s MaxNodes=%s PriorityTier=%d PriorityJobFactor=%d%s\n",
			p.Name, strings.Join(list, ","), is, maxTime, maxNodes, p.PriorityTier, p.PriorityJobFactor, p.SettingsLine())
	}
	for _, d := range l.Down {
		_, _ = fmt.Fprintf(&b, "DownNodes=%s State=%s Reason=\"%s\"\n", d.Nodes, strings.ToUpper(d.State), d.Reason)
	}
	return b.String()
}

// Whatever the text: no panic, and a layout without faults or an error.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"ReservationName=a StartTime=2026-03-01T00:00:00 EndTime=2026-03-02T00:00:00 Duration=1-00:00:00\n   Nodes=a1 Flags=MAINT,DAILY\n   Users=-bob Accounts=(null)\n",
		"ClusterName=c\nNodeName=DEFAULT CPUs=4\nNodeName=a[1-3] Gres=gpu:a:2(S:0),shard:1\nPartitionName=p Nodes=ALL MaxTime=1-0 Default=YES\nDownNodes=a1 Reason=\"x y\"",
		"NodeName=n1 Arch=x CPUAlloc=0 CPUTot=4 State=IDLE+DRAIN Reason=a b [root@x]",
		"PartitionName=p TotalNodes=1 Nodes=n1 QoS=N/A",
		"SwitchName = s Nodes\t= a[1-2]", "ClusterName = C\nInclude %c/x\nNodeName=n\\\n1 CPUs=0x10 Reason=\"a\",\"b\" # c\\",
		"NodeName=n1 CPUs=16 CoresPerSocket=4 ThreadsPerCore=2 CoreSpecCount=1 CPUSpecList=0-2 RealMemory=4K MemSpecLimit=1\nPartitionName=p Nodes=n1 Exclusive=NODE Default=1 MaxCPUsPerNode=3",
		"ClusterName=c\nSelectType=select/linear\nPreemptMode=GANG,CANCEL\nNodeName=a CPUs=1 Sockets=65535 CoresPerSocket=65535 ThreadsPerCore=65535\nPartitionName=p Nodes=a PreemptMode=OFF Shared=YES",
		"- topology: t\n  block:\n    blocks: [{block: b, nodes: a1}]", "Cluster|Account|User|Share|QOS|Def QOS\nc|root|||normal|\nc| lab|Eve|2|normal|", "MaxWall|Name|\n1-0|normal|",
		"Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Description='o'b':GrpTRES=cpu=3,gres/gpu:a=1:QOS='normal'",
		"Name=gpu Type=a File=/dev/n[0-1]", "Include x\\\ny", "NodeSet=s Feature=f\nPartitionName=p Nodes=s,",
	} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		c, err := site.Read([]site.File{{Name: "a", Text: a}, {Name: "b", Text: b}}, site.ReadOptions{From: time.Unix(1772323200, 0).UTC(), Open: func(string) (string, error) { return a, nil }})
		if err == nil && len(c.Layout.Faults()) > 0 {
			t.Errorf("%v", c.Layout.Faults())
		}
	})
}

// What slurmctld and slurmdbd show has the last word, in whatever order the files come.
func TestAnyOrder(t *testing.T) {
	files := []site.File{
		{Name: "slurm.conf", Text: "ClusterName=a\nAccountingStorageEnforce=limits,qos\nNodeName=c[1-2] CoresPerSocket=8\nPartitionName=main Nodes=ALL Default=YES MaxTime=60\n"},
		{Name: "nodes.txt", Text: "NodeName=c1 CPUAlloc=0 CPUTot=16 RealMemory=1 Sockets=1 CoresPerSocket=16 ThreadsPerCore=1 State=IDLE Partitions=main\n"},
		{Name: "partitions.txt", Text: "PartitionName=main Nodes=c[1-2] Default=YES MaxTime=00:10:00 TotalNodes=2 State=UP\n"},
		{Name: "dump.txt", Text: "QOS - 'debug':Priority=1\nCluster - 'a':QOS='debug'\nParent - 'root'\nAccount - 'bio':Fairshare=2\n"},
		{Name: "qos.txt", Text: "Name|Priority|GrpTRES\ndebug|7|\n"},
	}
	var first string
	for i := range files {
		for _, list := range [][]site.File{append(slices.Clone(files[i:]), files[:i]...), append(slices.Clone(files[:i]), files[i:]...)} {
			if i%2 == 1 {
				slices.Reverse(list)
			}
			c, err := site.Read(list, site.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got := text(c)
			if first == "" {
				first = got
			}
			if got != first {
				t.Errorf("got\n%s\nbefore\n%s", got, first)
			}
		}
	}
	for _, want := range []string{"group c: 1 of c1: 1 sockets, 16 cores", "group c-2: 1 of c2: 1 sockets, 8 cores", "default true, 10 minutes", `QOS {"name":"debug","priority":7}`} {
		if !strings.Contains(first, want) {
			t.Errorf("got\n%s\nwant %s", first, want)
		}
	}
}
