package infer_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/infer"
	"github.com/slurmlab/slurmlab/workloads/records"
)

func source(name, text string) records.Source {
	return records.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

const inferHeader = "JobIDRaw|State|Submit|Start|End|Timelimit|NNodes|NCPUS|ReqTRES|AllocTRES|Partition|NodeList\n"

// siteJob is a job of a small simulated site: on its nodes it has parts of the cores, the memory in MiB and the GPUs by type.
type siteJob struct {
	start, end, limit, cores, memory int
	gpus                             map[string]int
	partition                        string
	nodes                            []string
}

// row is the job's line of sacct, whose AllocTRES has the sum over the nodes.
func (j siteJob) row(id int) string {
	gpus, all := "", 0
	for _, kind := range slices.Sorted(maps.Keys(j.gpus)) {
		gpus += fmt.Sprintf(",gres/gpu:%s=%d", kind, j.gpus[kind])
		all += j.gpus[kind]
	}
	if all > 0 {
		gpus = fmt.Sprintf(",gres/gpu=%d", all) + gpus
	}
	tres := fmt.Sprintf("cpu=%d,mem=%dM,node=%d%s", j.cores, j.memory, len(j.nodes), gpus)
	return fmt.Sprintf("%d|COMPLETED|%d|%d|%d|%d|%d|%d|cpu=%d|%s|%s|%s\n", id, j.start, j.start, j.end, j.limit, len(j.nodes), j.cores, j.cores, tres, j.partition, values.CompressHosts(j.nodes))
}

// filled is a dump of a site on which each node is full several times, in several ways, under each of its partitions: one job has it all, or several
// jobs fill it one after the other in parts. Jobs on all nodes of a group come between. Everything ends before the next round begins.
func filled(l layout.Layout, draw *rand.Rand) string {
	var b strings.Builder
	b.WriteString(inferHeader)
	id, now := 0, 1_700_000_000
	add := func(j siteJob) {
		id++
		b.WriteString(j.row(id))
	}
	for _, p := range l.Partitions {
		for _, g := range l.Groups {
			if !slices.Contains(p.Groups, g.Name) {
				continue
			}
			names, _ := values.ExpandHosts(g.Hosts)
			whole := siteJob{limit: p.MaxTime, partition: p.Name}
			for round := range 4 {
				for _, name := range names {
					split := []int{g.Cores}
					for range min(round, g.Cores-1) {
						left := split[len(split)-1]
						if left == 1 {
							break
						}
						part := 1 + draw.IntN(left-1)
						split = append(split[:len(split)-1], part, left-part)
					}
					for i, part := range split {
						j := whole
						j.nodes, j.cores, j.memory = []string{name}, part, g.Memory/len(split)
						j.start, j.end = now+i, now+100
						if i == 0 {
							j.memory = g.Memory - (len(split)-1)*(g.Memory/len(split))
							j.gpus = gpusOf(g, 1)
						}
						add(j)
					}
				}
				now += 1000
				j := whole
				j.nodes, j.cores, j.memory, j.gpus = names, g.Cores*len(names), g.Memory*len(names), gpusOf(g, len(names))
				j.start, j.end = now, now+100
				add(j)
				now += 1000
			}
		}
	}
	return b.String()
}

func gpusOf(g layout.Group, times int) map[string]int {
	all := map[string]int{}
	for _, gpu := range g.GPUs {
		all[gpu.Type] = times * gpu.Count
	}
	return all
}

func group(name, hosts string, cores, memory int, gpus ...layout.GPU) layout.Group {
	names, _ := values.ExpandHosts(hosts)
	return layout.Group{Name: name, Count: len(names), Sockets: 1, Cores: cores, Threads: 1, Memory: memory, GPUs: gpus, Weight: 1, Hosts: hosts}
}

func partition(name string, minutes int, groups ...string) layout.Partition {
	return layout.Partition{Name: name, Groups: groups, MaxTime: minutes, PriorityTier: 1, PriorityJobFactor: 1}
}

// facts are what a dump can tell of a layout.
func facts(l layout.Layout) string {
	var b strings.Builder
	for _, g := range l.Groups {
		g.GPUs = slices.SortedFunc(slices.Values(g.GPUs), func(a, b layout.GPU) int { return strings.Compare(a.Type, b.Type) })
		fmt.Fprintf(&b, "%s %d cores %d MiB %v\n", g.Hosts, g.Cores, g.Memory, g.GPUs)
	}
	hosts := func(p layout.Partition) (all []string) {
		for _, g := range l.Groups {
			if slices.Contains(p.Groups, g.Name) {
				all = append(all, g.Hosts)
			}
		}
		return all
	}
	for _, p := range slices.SortedFunc(slices.Values(l.Partitions), func(a, b layout.Partition) int { return strings.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(&b, "%s %v %d min\n", p.Name, hosts(p), p.MaxTime)
	}
	return b.String()
}

func inferred(t interface{ Fatal(...any) }, dumps ...string) infer.Inferred {
	var sources []records.Source
	for i, d := range dumps {
		sources = append(sources, source(fmt.Sprintf("dump%d", i+1), d))
	}
	found, err := infer.Machine(sources, "sacct", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := workloads.MachineOf("inferred", found.Layout, workloads.Tree{}); err != nil {
		t.Fatal(err)
	}
	return found
}

// knownMachines have nodes that differ in size under one name, two types of GPUs on a node and on others, and partitions that overlap.
func knownMachines() map[string]layout.Layout {
	return map[string]layout.Layout{
		"unequal nodes": {
			Groups:     []layout.Group{group("cn", "cn[001-012]", 16, 64000), group("cn-2", "cn[013-020]", 48, 64000), group("fat", "fat1", 128, 4096000)},
			Partitions: []layout.Partition{partition("batch", 1440, "cn", "cn-2"), partition("big", 2880, "fat")},
		},
		"two types of GPUs": {
			Groups: []layout.Group{
				group("dgx", "dgx[1-2]", 256, 2048000, layout.GPU{Type: "a100", Count: 8}),
				group("g", "g[1-9]", 32, 128000, layout.GPU{Type: "v100", Count: 4}),
				group("mixed", "mixed[1-3]", 64, 256000, layout.GPU{Type: "a100", Count: 2}, layout.GPU{Type: "v100", Count: 1}),
			},
			Partitions: []layout.Partition{partition("gpu", 720, "dgx", "g", "mixed")},
		},
		"overlapping partitions": {
			Groups: []layout.Group{
				group("n", "n[1-10]", 32, 100000), group("n-2", "n[11-20]", 32, 100000), group("n-3", "n[21-30]", 32, 100000, layout.GPU{Type: "h100", Count: 4}),
			},
			Partitions: []layout.Partition{partition("long", 10080, "n"), partition("short", 60, "n", "n-2", "n-3"), partition("gpu", 1440, "n-3")},
		},
	}
}

func TestInferKnownMachines(t *testing.T) {
	for name, l := range knownMachines() {
		t.Run(name, func(t *testing.T) {
			found := inferred(t, filled(l, rand.New(rand.NewPCG(1, 2))))
			if got, want := facts(found.Layout), facts(l); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			for _, f := range found.Findings {
				if (f.What == "cores" || f.What == "nodes") && f.Sure != infer.Sure {
					t.Errorf("each node was full in several ways, and yet %s", f)
				}
			}
		})
	}
}

// The real Slurm wrote examples/site/sacct.txt under the slurm.conf beside it. Memory and limits of that were never exhausted.
func TestInferRecordedSite(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile("../../examples/site/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	cluster, err := site.Read([]site.File{{Name: "slurm.conf", Text: read("slurm.conf")}}, site.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, got := cluster.Layout, inferred(t, read("sacct.txt")).Layout
	for i, g := range got.Groups {
		if known := want.Groups[i].Memory; g.Memory > known {
			t.Errorf("group %s has %d MiB, and the site %d", g.Name, g.Memory, known)
		}
		got.Groups[i].Memory = want.Groups[i].Memory
	}
	for i, p := range got.Partitions {
		if known, _ := want.Find(p.Name); p.MaxTime > known.MaxTime {
			t.Errorf("partition %s has %d minutes, and the site %d", p.Name, p.MaxTime, known.MaxTime)
		} else {
			got.Partitions[i].MaxTime = known.MaxTime
		}
	}
	if facts(got) != facts(want) {
		t.Errorf("got\n%s\nwant\n%s", facts(got), facts(want))
	}
}

// Any machine of groups with names of their own comes out, however its jobs divide the nodes.
func TestInferRandomMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l layout.Layout
		for i := range rapid.IntRange(1, 5).Draw(t, "groups") {
			word := string(rune('a' + i))
			g := group(word, fmt.Sprintf("%s[1-%d]", word, rapid.IntRange(2, 6).Draw(t, "nodes")), rapid.IntRange(3, 64).Draw(t, "cores"), rapid.IntRange(64, 99999).Draw(t, "memory"))
			for _, kind := range []string{"a100", "h100"} {
				if n := rapid.IntRange(0, 8).Draw(t, kind); n > 0 {
					g.GPUs = append(g.GPUs, layout.GPU{Type: kind, Count: n})
				}
			}
			l.Groups = append(l.Groups, g)
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "partitions") {
			p := partition(fmt.Sprintf("p%d", i), rapid.IntRange(1, 5000).Draw(t, "limit"))
			for _, g := range l.Groups {
				if i == 0 || rapid.Bool().Draw(t, "in") {
					p.Groups = append(p.Groups, g.Name)
				}
			}
			if len(p.Groups) > 0 {
				l.Partitions = append(l.Partitions, p)
			}
		}
		found := inferred(t, filled(l, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))))
		if got, want := facts(found.Layout), facts(l); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// No value is above what the machine has, however few jobs a dump has, as long as their parts are equal.
func TestInferredIsALowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := knownMachines()["overlapping partitions"]
		all := strings.SplitAfter(filled(l, rand.New(rand.NewPCG(3, 4))), "\n")
		some := all[0]
		for _, row := range all[1 : len(all)-1] {
			if rapid.IntRange(0, 9).Draw(t, "kept") == 0 {
				some += row
			}
		}
		if some == all[0] {
			some += all[1]
		}
		found := inferred(t, some)
		if n := found.Layout.Nodes(); n > 30 {
			t.Fatalf("%d nodes of 30", n)
		}
		for _, g := range found.Layout.Groups {
			if g.Cores > 32 || g.AllGPUs() > 4 || g.Memory > 100000 {
				t.Fatalf("%+v is more than a node has", g)
			}
		}
	})
}

// The findings of a dump whose nodes were never full say that they are lower bounds.
func TestInferNeverFull(t *testing.T) {
	j := siteJob{start: 1000, end: 2000, limit: 60, cores: 4, memory: 4000, partition: "batch", nodes: []string{"cn1"}}
	dump := inferHeader
	for i := range 6 {
		dump += j.row(i + 1)
		j.start, j.end = j.end, j.end+1000
	}
	found := inferred(t, dump)
	want := []string{
		"group cn: nodes 1 (sure): named by jobs; 0 had one job alone",
		"group cn: cores 4 (at least): reached 6 times on 1 of 1 node, in 1 way",
		"group cn: memory 4000MiB (at least): the most on a node; 0 of 1 held less than half",
		"partition batch: longest limit 0-01:00:00 (likely): 6 of 6 jobs had it, and none a longer one",
		"partition batch: nodes 1 (sure): 6 jobs had them; 0 had one job alone",
	}
	var got []string
	for _, f := range found.Findings {
		got = append(got, f.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What jobs on several nodes tell: sacct(1) has only the sum of AllocTRES over the nodes.
func TestInferJobsOnSeveralNodes(t *testing.T) {
	job := func(cores int, nodes ...string) siteJob {
		return siteJob{start: 1000, end: 1100, limit: 60, cores: cores, memory: 10 * len(nodes), partition: "p", nodes: nodes}
	}
	later := func(j siteJob, round int) siteJob {
		j.start, j.end = j.start+1000*round, j.end+1000*round
		return j
	}
	for name, c := range map[string]struct {
		jobs []siteJob
		want string
		note string
	}{
		"equal parts": {[]siteJob{job(64, "a1", "a2")}, "a[1-2] 32 cores", ""},
		"unequal nodes that one job alone filled": {
			[]siteJob{job(16, "a1"), job(48, "b1"), later(job(64, "a1", "b1"), 1)}, "a1 16 cores,b1 48 cores", "",
		},
		"parts that are not equal are not counted": {
			[]siteJob{job(8, "a1"), later(job(33, "a1", "a2"), 1), later(job(8, "a2"), 2)}, "a[1-2] 8 cores", "parts are unknown and not counted: 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dump := inferHeader
			for i, j := range c.jobs {
				dump += j.row(i + 1)
			}
			found := inferred(t, dump)
			var got []string
			for _, g := range found.Layout.Groups {
				got = append(got, fmt.Sprintf("%s %d cores", g.Hosts, g.Cores))
			}
			if strings.Join(got, ",") != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if notes := strings.Join(found.Notes, "\n"); !strings.Contains(notes, c.note) {
				t.Errorf("no word of %q in\n%s", c.note, notes)
			}
		})
	}
}

// A job that is in two dumps counts once, and one that was suspended holds nothing that is known.
func TestInferWhatIsLeftOut(t *testing.T) {
	first := siteJob{start: 1000, end: 2000, limit: 60, cores: 4, memory: 8, partition: "p", nodes: []string{"cn1"}}
	second := first
	second.start = 1500
	dump := inferHeader + first.row(1)
	found := inferred(t, dump, dump+second.row(2)+"3|RUNNING|1000|1500|Unknown|60|1|4|cpu=4|cpu=4,mem=8M|p|cn1\n")
	if got := found.Layout.Groups[0].Cores; got != 8 {
		t.Errorf("%d cores, want those of two jobs", got)
	}
	notes := strings.Join(found.Notes, "\n")
	for _, want := range []string{"2 jobs of the traces ran and ended", "left out: not ended (1)", "left out: records that are there twice (1)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no word of %q in\n%s", want, notes)
		}
	}
	suspended := strings.ReplaceAll(inferHeader, "Timelimit", "Elapsed|Timelimit") + "1|COMPLETED|1000|1000|5000|00:10:00|60|1|4|cpu=4|cpu=4|p|cn1\n2|COMPLETED|1000|1000|1600|00:10:00|60|1|2|cpu=2|cpu=2|p|cn1\n"
	if found = inferred(t, suspended); found.Layout.Groups[0].Cores != 2 || !strings.Contains(strings.Join(found.Notes, "\n"), "left out: suspended for a time (1)") {
		t.Errorf("%+v\n%s", found.Layout.Groups, found.Notes)
	}
}

// Without the names of nodes the sum of cores at once is known, and the file says that the rest is not.
func TestInferWithoutNodes(t *testing.T) {
	swf := "; MaxProcs: 64\n"
	for i := range 4 {
		swf += fmt.Sprintf("%d %d 0 100 8 -1 -1 8 100 -1 1 1 1 1 1 1 -1 -1\n", i+1, i*50)
	}
	found, err := infer.Machine([]records.Source{source("t.swf", swf)}, "swf", false)
	if err != nil {
		t.Fatal(err)
	}
	g := found.Layout.Groups[0]
	if g.Count*g.Cores != 16 || g.Cores != 8 {
		t.Errorf("%+v, want two jobs of 8 cores at once", g)
	}
	notes := strings.Join(found.Notes, "\n")
	for _, want := range []string{"4 jobs tell no names of nodes", "at least 16", "MaxProcs 64"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no word of %q in\n%s", want, notes)
		}
	}
}

func TestInferBad(t *testing.T) {
	row := func(nodes, tres string) string {
		return inferHeader + "1|COMPLETED|1000|1000|2000|60|1|4|cpu=4|" + tres + "|p|" + nodes + "\n"
	}
	for _, c := range []struct{ dump, format, want string }{
		{row("cn[1-", "cpu=4"), "sacct", `d:2: NodeList: got "cn[1-", allowed a hostlist, such as cn[001-040]`},
		{row("cn1", "cpu"), "sacct", `d:2: AllocTRES: got "cpu", allowed name=value pairs separated by commas`},
		{inferHeader, "sacct", "d: jobs: got none that ran and ended, allowed at least one"},
		{"", "batsim", `format: got "batsim", allowed are traces that say when jobs start`},
	} {
		_, err := infer.Machine([]records.Source{source("d", c.dump)}, c.format, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	found, err := infer.Machine([]records.Source{source("d", row("cn[1-", "cpu=4")+"2|COMPLETED|1000|1000|2000|60|1|4|cpu=4|cpu=4|p|cn1\n")}, "sacct", true)
	if err != nil || !strings.Contains(strings.Join(found.Notes, "\n"), "left out: with faults (1)") {
		t.Errorf("%v %s", err, found.Notes)
	}
}
