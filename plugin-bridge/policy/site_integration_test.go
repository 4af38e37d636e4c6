//go:build integration

package policy_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/exec"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// Slurm itself judges an import: a slurmctld reads the site's slurm.conf as far as it starts here, a second one reads the
// slurm.conf that a cluster of the imported machine has, and both print their configuration, nodes, partitions and topology. What a
// job can get and what decides on its start is the same, or a note of the import names it.
//
// SITES=DIR judges each folder of DIR with a slurm.conf instead, and writes the results to the file of TABLE, as
// docs/records/042-slurm-conf has them.
func TestSlurmJudgesAnImport(t *testing.T) {
	all := sites(t)
	j := newJudge(t)
	table := "file,nodes,imported,right,slurm,reason\n"
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			if s.long {
				hosttest.Long(t, "judges another site's slurm.conf")
			}
			table += j.judge(t, s)
		})
	}
	if name := os.Getenv("TABLE"); name != "" {
		if err := os.WriteFile(name, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// aSite are the files of a site by their names.
type aSite struct {
	name  string
	texts map[string]string
	// extern says that the files are none of ours, and Slurm may refuse them.
	extern, long bool
}

// sites are the example, and the scenarios of the package site that have a whole slurm.conf.
func sites(t *testing.T) []aSite {
	t.Helper()
	var all []aSite
	if parent := os.Getenv("SITES"); parent != "" {
		dirs, err := filepath.Glob(filepath.Join(parent, "*"))
		if err != nil || len(dirs) == 0 {
			t.Fatalf("found no sites: %v", err)
		}
		for _, dir := range dirs {
			all = append(all, aSite{name: filepath.Base(dir), texts: read(t, dir), extern: true})
		}
		return all
	}
	all = append(all, aSite{name: "example", texts: read(t, "../../examples/site")})
	for _, name := range []string{"cpus", "processors", "sharing", "topology", "conf"} {
		texts, count := map[string]string{}, 0
		datadriven.RunTest(t, "../../slurmctl/site/testdata/"+name, func(t *testing.T, d *datadriven.TestData) string {
			t.Helper()
			if d.Cmd == "file" {
				texts[d.CmdArgs[0].Key] = d.Input
				return d.Expected
			}
			// What scontrol printed has the last word on nodes, and the accounting has none.
			_, shown := texts["nodes.txt"]
			maps.DeleteFunc(texts, func(name, _ string) bool { return strings.HasSuffix(name, ".txt") })
			if strings.Contains(texts["slurm.conf"], "ClusterName") && !shown && strings.HasPrefix(d.Expected, "cluster ") {
				count++
				all = append(all, aSite{name: fmt.Sprintf("%s_%d", name, count), texts: texts, long: count > 1})
			}
			texts = map[string]string{}
			return d.Expected
		})
	}
	return all
}

// read are the files of a folder that Slurm reads.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range []string{"slurm.conf", "gres.conf", "topology.conf", "topology.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && len(bytes.TrimSpace(text)) > 0 {
			texts[name] = string(text)
		}
	}
	return texts
}

// judge is a container in which one slurmctld runs at a time, without nodes and accounting.
type judge struct{ container testcontainers.Container }

// serve starts slurmctld on the files of a folder, and leaves there what Slurm says. A slurmctld that ends leaves its log alone.
const serve = `cd "$1" && mkdir -p state && cat hosts > /etc/hosts && echo "127.0.0.1 localhost" >> /etc/hosts
echo "hosts: files" > /etc/nsswitch.conf
head -c 1024 /dev/urandom > slurm.key && chmod 600 slurm.key
export SLURM_CONF=$1/slurm.conf
slurmctld -D -c -f "$1/slurm.conf" > log 2>&1 & server=$!
until scontrol ping 2>/dev/null | grep -q "is UP"; do kill -0 $server 2>/dev/null || exit 3; sleep 0.1; done
scontrol show config > config && scontrol -o show node > node && scontrol -o -a show partition > partition && scontrol -o show topology > topology
code=$?
kill $server; wait $server
exit $code
`

func newJudge(t *testing.T) judge {
	t.Helper()
	image := backendtest.Image(t, backendtest.External())
	backendtest.Needs(t, image, backendtest.Remedy(backendtest.External()))
	c, err := testcontainers.Run(t.Context(), image, testcontainers.WithEntrypoint("sh", "-c", "trap exit TERM; sleep infinity & wait"))
	testcontainers.CleanupContainer(t, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CopyToContainer(t.Context(), []byte(serve), "/serve", 0o755); err != nil {
		t.Fatal(err)
	}
	return judge{c}
}

// said is what a slurmctld says of its configuration, its nodes, its partitions and its topology.
type said struct {
	config            conf.Values
	nodes, partitions map[string]shown
	topology          []slurmctl.Switch
}

// shown is a line of "scontrol -o show".
type shown map[string]string

func (s shown) number(key string) int {
	n, _ := strconv.Atoi(s[key])
	return n
}

// ask is what a slurmctld says that reads these files, or the last lines of the one that did not start.
func (j judge) ask(ctx context.Context, dir string, files map[string]string) (said, error) {
	run := func(argv ...string) (string, int, error) {
		code, out, err := j.container.Exec(ctx, argv, exec.Multiplexed())
		if err != nil {
			return "", code, err
		}
		text, err := io.ReadAll(out)
		return string(text), code, err
	}
	if _, _, err := run("mkdir", "-p", dir); err != nil {
		return said{}, err
	}
	for name, text := range files {
		if err := j.container.CopyToContainer(ctx, []byte(text), dir+"/"+name, 0o644); err != nil {
			return said{}, err
		}
	}
	if text, code, err := run("sh", "/serve", dir); err != nil || code != 0 {
		log, _, _ := run("sh", "-c", "grep -E 'fatal|error' "+dir+"/log | tail -n 3")
		return said{}, fmt.Errorf("%s%s%w", text, log, cmp.Or(err, fmt.Errorf("code %d", code)))
	}
	config, _, err := run("cat", dir+"/config")
	if err != nil {
		return said{}, err
	}
	s := said{config: conf.Shown(config), nodes: map[string]shown{}, partitions: map[string]shown{}}
	for key, of := range map[string]map[string]shown{"node": s.nodes, "partition": s.partitions} {
		text, _, runErr := run("cat", dir+"/"+key)
		if runErr != nil {
			return said{}, runErr
		}
		for line := range strings.Lines(text) {
			one := shown{}
			for _, field := range strings.Fields(line) {
				if k, v, ok := strings.Cut(field, "="); ok {
					one[k] = v
				}
			}
			of[cmp.Or(one["NodeName"], one["PartitionName"])] = one
		}
	}
	topology, _, err := run("cat", dir+"/topology")
	if err != nil {
		return said{}, err
	}
	// A machine file has no rings: as blocks they differ from all that it has.
	topology = strings.NewReplacer("RingName=", "BlockName=", "RingSize=", "BlockSize=").Replace(topology)
	s.topology, err = slurmctl.ParseTopology([]byte(topology))
	return s, err
}

// startable is a slurm.conf without what keeps a slurmctld from starting here: the keys that every cluster of slurmlab has its own
// values of (conf.Fixed), those that Slurm 26.05 lacks, addresses of nodes, and names of the accounting. It says which keys are left
// out, and lists the nodes for /etc/hosts: slurmctld waits for each address.
func startable(text, dir string) (config, hosts string, left []string) {
	kept := []string{"NodeName", "NodeSet", "PartitionName", "DownNodes", "GresTypes", "TopologyPlugin", "SelectType", "SchedulerType", "PriorityType", "ClusterName", "JobRequeue"}
	is := func(list []string, key string) bool {
		return slices.ContainsFunc(list, func(k string) bool { return strings.EqualFold(k, key) })
	}
	accounting := regexp.MustCompile(`(?i)\s(QOS|AllowQos|DenyQos|AllowAccounts|DenyAccounts|AllowGroups)\s*=\s*\S+`)
	address := regexp.MustCompile(`(?i)\s(NodeAddr|NodeHostname|BcastAddr|Port)\s*=\s*\S+`)
	removed := regexp.MustCompile(`(?i)select/cons_res`)
	weights := regexp.MustCompile(`(?i),?gres/[^,\s="]+=[-0-9.]+[KMGTP]?`)
	plain := regexp.MustCompile(`^\s*[^=\s]+\s*[-+*/]?=\s*("[^"]*"|\S*)\s*$`)
	nodes := regexp.MustCompile(`(?i)^\s*NodeName\s*=\s*(\S+)`)
	var out, known strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", " ")) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), "#")
		key, _, _ := strings.Cut(line, "=")
		key = conf.SpelledKey(strings.TrimSpace(key))
		why, _ := conf.Fixed(key)
		if strings.Contains(strings.ToUpper(line), "WEIGHT") {
			// slurmctld knows the weights of GPUs from the accounting alone.
			line = weights.ReplaceAllString(line, "")
		}
		switch {
		case strings.TrimSpace(line) == "" || strings.HasSuffix(line, "="):
		case !is(kept, key) && !plain.MatchString(line):
			// What Slurm cannot read stays.
			_, _ = fmt.Fprintln(&out, line)
		case is(kept, key):
			if m := nodes.FindStringSubmatch(line); m != nil {
				names, _ := values.ExpandHosts(m[1])
				for _, name := range names {
					_, _ = fmt.Fprintf(&known, "127.0.0.1 %s\n", name)
				}
			}
			line = address.ReplaceAllString(accounting.ReplaceAllString(line, ""), "")
			_, _ = fmt.Fprintln(&out, removed.ReplaceAllString(line, "select/cons_tres"))
		case why != "" || !is(site.SlurmKeys(), key) && !strings.HasPrefix(strings.ToLower(key), "include"):
			left = append(left, key)
		default:
			_, _ = fmt.Fprintln(&out, line)
		}
	}
	if !regexp.MustCompile(`(?im)^\s*ClusterName\s*=`).MatchString(out.String()) {
		out.WriteString("ClusterName=site\n")
	}
	_, _ = fmt.Fprintf(&out, "SlurmctldHost=localhost(127.0.0.1)\nSlurmUser=root\nAuthType=auth/slurm\nCredType=cred/slurm\nStateSaveLocation=%s/state\n"+
		"SlurmctldPidFile=%s/pid\nMailProg=/bin/true\nCommunicationParameters=EnableIPv6\n", dir, dir)
	return out.String(), known.String(), left
}

// judge compares a site with the cluster of its imported machine, and returns the line of the table.
func (j judge) judge(t *testing.T, s aSite) string {
	row := func(nodes int, imported, right, slurm, reason string) string {
		return fmt.Sprintf("%s,%d,%s,%s,%s,%s\n", s.name, nodes, imported, right, slurm, strconv.Quote(fmt.Sprintf("%.300s", strings.Join(strings.Fields(strings.ReplaceAll(reason, `"`, "'")), " "))))
	}
	var files []site.File
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		if !strings.Contains(s.texts["slurm.conf"], "Include "+name) {
			files = append(files, site.File{Name: name, Text: s.texts[name]})
		}
	}
	at := "/judge/" + regexp.MustCompile(`\W`).ReplaceAllString(s.name, "_")
	texts := maps.Clone(s.texts)
	whole := regexp.MustCompile(`(?m)^Include (\S+)$`).ReplaceAllStringFunc(s.texts["slurm.conf"], func(line string) string {
		return s.texts[strings.TrimPrefix(line, "Include ")]
	})
	var left []string
	texts["slurm.conf"], texts["hosts"], left = startable(whole, at+"/site")
	theirs, refused := j.ask(t.Context(), at+"/site", texts)
	c, err := site.Read(files, site.ReadOptions{Open: func(name string) (string, error) {
		text, ok := s.texts[name]
		if !ok {
			return "", os.ErrNotExist
		}
		return text, nil
	}})
	if err != nil {
		if refused == nil {
			t.Errorf("Slurm takes the file, and the import refuses it:\n%v", err)
			return row(0, "no", "no", "yes", err.Error())
		}
		t.Logf("refused by both:\n%v\nSlurm: %v", err, refused)
		return row(0, "no", "", "no", err.Error())
	}
	if refused != nil {
		if !s.extern {
			t.Errorf("Slurm refuses the file: %v", refused)
		}
		t.Logf("imported, though Slurm refuses the file: %v", refused)
		return row(c.Layout.Nodes(), "yes", "", "no", refused.Error())
	}
	text, notes := imported(t, c)
	own := map[string]string{}
	own["slurm.conf"], own["hosts"], _ = startable(text["slurm.conf"], at+"/own")
	if topology, ok := text["topology.conf"]; ok {
		own["topology.conf"] = topology
	}
	ours, err := j.ask(t.Context(), at+"/own", own)
	if err != nil {
		t.Errorf("the cluster of the import does not start: %v", err)
		return row(c.Layout.Nodes(), "yes", "no", "yes", err.Error())
	}
	t.Logf("left out for the start: %v\nnotes:\n%s", left, strings.Join(notes, "\n"))
	differences := compare(c.Layout, theirs, ours, notes)
	if len(differences) > 0 {
		t.Errorf("%s", strings.Join(differences, "\n"))
		return row(c.Layout.Nodes(), "yes", "no", "yes", strings.Join(differences, "; "))
	}
	return row(c.Layout.Nodes(), "yes", "yes", "yes", "")
}

// imported are the files of a cluster of the imported machine under the policy of the site, and all notes.
func imported(t *testing.T, c site.Cluster) (map[string]string, []string) {
	t.Helper()
	var lines []policy.Setting
	for _, s := range c.Settings {
		lines = append(lines, policy.Setting(s))
	}
	p, left, err := policy.OfSite(lines)
	if err != nil {
		t.Fatal(err)
	}
	notes := slices.Clone(c.Notes)
	for _, l := range left {
		notes = append(notes, fmt.Sprintf("policy: left out is %s=%s: %v", l.Key, l.Value, l.Why))
	}
	m, err := workloads.MachineOf("site", c.Layout, workloads.Tree{Nodes: c.LeafNodes, List: c.Switches})
	if err == nil {
		m, err = m.WithBlocks(workloads.BlocksOf(c.Blocks, c.BlockSizes))
	}
	if err != nil {
		t.Fatal(err)
	}
	on := backendtest.External()
	spec := conf.Spec{
		Form: string(on.Form), Slurm: on.Series, Nodes: m.Nodes, Cores: m.Cores, GPUs: m.GPUs, Layout: m.Layout, SwitchLevels: m.Switches.Levels(m.Nodes),
		Switches: m.Switches.List, BlockNodes: m.Blocks.Of(m.Nodes), BlockSizes: m.Blocks.Sizes, Scheduler: p.Scheduler, Priority: p.Priority, Clock: clock.Settings{Kind: clock.KindJump},
	}
	all, err := conf.Files(spec, on.Nodes(spec).Conf, conf.Root())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range all {
		files[f.Name] = string(f.Data)
	}
	return files, notes
}

// comparison collects what differs and is in no note.
type comparison struct {
	layout       layout.Layout
	theirs, ours said
	notes        []string
	differences  []string
}

func compare(l layout.Layout, theirs, ours said, notes []string) []string {
	c := &comparison{layout: l, theirs: theirs, ours: ours, notes: notes}
	for i, g := range l.Groups {
		hosts, _ := values.ExpandHosts(g.Hosts)
		for k, host := range hosts {
			c.node(g, host, fmt.Sprintf("%s%d", layout.NodePrefix, l.First(i)+k))
		}
	}
	for _, p := range l.Partitions {
		c.partition(p)
	}
	c.topology()
	c.settings()
	return slices.Compact(c.differences)
}

// topology compares the switches or blocks by their levels and the nodes below them; their names decide on nothing.
func (c *comparison) topology() {
	sites := c.layout.Sites()
	below := func(switches []slurmctl.Switch, named func(string) (string, bool)) []string {
		var all []string
		for _, s := range switches {
			var nodes []string
			for _, n := range s.Nodes {
				if name, ok := named(n); ok {
					nodes = append(nodes, name)
				}
			}
			if slices.Sort(nodes); len(nodes) > 0 {
				all = append(all, fmt.Sprintf("level %d: %s", s.Level, strings.Join(nodes, ",")))
			}
		}
		slices.Sort(all)
		return all
	}
	theirs := below(c.theirs.topology, func(host string) (string, bool) {
		i, ok := sites[host]
		return fmt.Sprintf("%s%d", layout.NodePrefix, i+1), ok
	})
	c.same("topology", theirs, below(c.ours.topology, func(name string) (string, bool) { return name, true }), "left out", "a machine file has")
}

// noted says whether a note has all these words.
func (c *comparison) noted(words ...string) bool {
	return slices.ContainsFunc(c.notes, func(note string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(note), strings.ToLower(w)) })
	})
}

func (c *comparison) same(what string, theirs, ours any, words ...string) {
	if a, b := fmt.Sprint(theirs), fmt.Sprint(ours); a != b && (len(words) == 0 || !c.noted(words...)) {
		c.differences = append(c.differences, fmt.Sprintf("%s: the site has %s, the import %s", what, a, b))
	}
}

// perCore are the CPUs of a core of a node that jobs get (_init_node_record in src/common/node_conf.c).
func perCore(n shown) int {
	if n.number("CPUTot") <= n.number("Sockets")*n.number("CoresPerSocket") {
		return 1
	}
	return max(1, n.number("ThreadsPerCore"))
}

// node compares what jobs can have of a node. Left out are its addresses, its state, which boot sets (package boot), and what it
// measures: load, free memory, boot time, operating system.
func (c *comparison) node(g layout.Group, host, name string) {
	a, ok := c.theirs.nodes[host]
	b, also := c.ours.nodes[name]
	if !ok || !also {
		c.differences = append(c.differences, fmt.Sprintf("node %s: the site has it: %t, the import: %t", host, ok, also))
		return
	}
	of := func(key string) string { return key + " of node " + host }
	c.same(of("cores for jobs"), a.number("CPUEfctv")/perCore(a), b.number("CPUEfctv")/perCore(b), "cores, of which jobs get one")
	c.same(of("CPUs of a core"), perCore(a), b.number("ThreadsPerCore"))
	reserved := a["CPUEfctv"] != a["CPUTot"]
	whole := a.number("CoresPerSocket") == 1 && b["Sockets"] == "1"
	if !reserved && !whole {
		c.same(of("Sockets"), a["Sockets"], b["Sockets"], "cores, of which jobs get one in each socket")
	}
	if memory := a.number("RealMemory") - a.number("MemSpecLimit"); g.Memory > 0 || c.schedulesMemory() && memory > 1 {
		c.same(of("memory for jobs"), memory, b.number("RealMemory"), "has no RealMemory")
	}
	weights := map[string]string{"": "1"}
	c.same(of("Weight"), cmp.Or(weights[a["Weight"]], a["Weight"]), b["Weight"])
	if !c.noted("though Slurm ignores them") {
		c.same(of("GPUs"), gpus(a["Gres"]), gpus(b["Gres"]), "types of GPUs", "are left out")
	}
	c.same(of("features"), words(a["AvailableFeatures"]), words(b["AvailableFeatures"]), "feature")
	open := slices.DeleteFunc(words(a["Partitions"]), func(p string) bool { return c.theirs.partitions[p]["State"] != "UP" })
	c.same(of("partitions"), open, words(b["Partitions"]), "partition main")
}

// schedulesMemory says whether the site's Slurm counts memory (slurm.conf(5), SelectTypeParameters).
func (c *comparison) schedulesMemory() bool {
	return strings.Contains(strings.ToUpper(c.theirs.config["SelectTypeParameters"]), "MEMORY")
}

// gpus are the GPUs of a Gres without their sockets and without case.
func gpus(gres string) []string {
	var list []string
	for _, g := range words(regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(gres, "")) {
		if g = strings.ToLower(g); strings.HasPrefix(g, "gpu:") {
			list = append(list, g)
		}
	}
	return list
}

// words splits a list, in the order of the alphabet.
func words(list string) []string {
	all := strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	all = slices.DeleteFunc(all, func(w string) bool { return w == "(null)" })
	slices.Sort(all)
	return all
}

// partition compares what decides which jobs a partition takes, and when. Left out are what the accounting has (QOS, AllowQos,
// AllowAccounts), what Slurm derives from the nodes (TRES), and what decides on nothing here (Hidden, DisableRootJobs, power saving).
func (c *comparison) partition(p layout.Partition) {
	a, ok := c.theirs.partitions[p.Name]
	b, also := c.ours.partitions[p.Name]
	if !ok || !also {
		if !c.noted("partition main") {
			c.differences = append(c.differences, fmt.Sprintf("partition %s: the site has it: %t, the import: %t", p.Name, ok, also))
		}
		return
	}
	of := func(key string) string { return key + " of partition " + p.Name }
	threads := map[int]bool{}
	cores := 0
	for name, n := range c.theirs.nodes {
		if slices.Contains(words(n["Partitions"]), p.Name) && c.inLayout(name) {
			threads[perCore(n)] = true
			cores += n.number("CPUEfctv") / perCore(n)
		}
	}
	each := 1
	for n := range threads {
		each = n
	}
	c.same(of("cores"), cores, b.number("TotalCPUs"), "cores, of which jobs get one")
	for _, key := range []string{"DefaultTime", "ExclusiveUser", "ExclusiveTopo", "GraceTime", "LLN", "MaxNodes", "MaxTime", "MinNodes", "OverTimeLimit",
		"PriorityJobFactor", "PriorityTier", "ReqResv", "RootOnly", "SelectTypeParameters", "State", "MaxMemPerNode", "DefMemPerNode"} {
		c.same(of(key), a[key], b[key], "partition "+p.Name, key)
	}
	// What scontrol shows as JobDefaults are DefCpuPerGPU and DefMemPerGPU.
	c.same(of("JobDefaults"), a["JobDefaults"], b["JobDefaults"], "partition "+p.Name, "PerGPU")
	// GANG counts for the whole cluster alone (preempt_p_get_mode in src/plugins/preempt/partition_prio).
	gang := strings.NewReplacer("GANG,", "", ",GANG", "")
	c.same(of("PreemptMode"), gang.Replace(a["PreemptMode"]), gang.Replace(b["PreemptMode"]), "partition "+p.Name, "PreemptMode")
	c.same(of("Default"), a["Default"], b["Default"], "no partition is the default")
	c.same(of("OverSubscribe"), a["OverSubscribe"], b["OverSubscribe"], "OverSubscribe")
	if len(threads) > 1 {
		return
	}
	for _, key := range []string{"MaxCPUsPerNode", "MaxCPUsPerSocket"} {
		c.same(of(key), scaled(a[key], func(n int) int { return max(1, n/each) }), b[key])
	}
	for _, key := range []string{"DefMemPerCPU", "MaxMemPerCPU"} {
		c.same(of(key), scaled(a[key], func(n int) int { return n * each }), b[key], "partition "+p.Name, key)
	}
}

// inLayout says whether a node of the site is part of the imported machine.
func (c *comparison) inLayout(host string) bool {
	_, ok := c.layout.Sites()[host]
	return ok
}

// scaled is a number changed, and every other value as it is.
func scaled(text string, change func(int) int) string {
	n, err := strconv.Atoi(text)
	if err != nil {
		return text
	}
	return strconv.Itoa(change(n))
}

// settings compares what decides on starts for the whole cluster: the keys that a policy can have (conf.Keys), and the scheduler.
// Left out are keys of which the imported cluster needs its own value (conf.Fixed), and those that decide on no start, such as
// PrivateData (site.IsScheduling).
func (c *comparison) settings() {
	for _, key := range slices.Concat(conf.Keys(), []string{"SchedulerType", "PriorityType", "SchedulerParameters"}) {
		a, b := c.theirs.config[key], c.ours.config[key]
		if !site.IsScheduling(key) || key == "SelectTypeParameters" && c.theirs.config["SelectType"] == "select/linear" {
			continue
		}
		if key == "SchedulerParameters" {
			missing := slices.DeleteFunc(words(a), func(w string) bool {
				return slices.Contains(words(b), strings.TrimLeft(w, "=")) || c.noted(w)
			})
			c.same(key, missing, []string(nil))
			continue
		}
		if strings.Contains(key, "Mem") || key == "DefCPUPerGPU" {
			// A machine with memory has a default of its own, and numbers for each CPU follow from the threads of the nodes.
			continue
		}
		memory := key == "SelectTypeParameters" && c.noted("memory is left out")
		if a != b && !memory && !c.noted(key) {
			c.differences = append(c.differences, fmt.Sprintf("%s: the site has '%s', the import '%s'", key, a, b))
		}
	}
}
