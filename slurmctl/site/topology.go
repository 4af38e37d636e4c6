package site

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// topologyFile is topology.yaml, a list of topologies (topology.yaml(5); topology_ctx_array_t in src/interfaces/topology.h).
type topologyFile []oneTopology

// oneTopology is a topology of one kind. One without switches, blocks, rings and toruses is flat.
type oneTopology struct {
	Name      string `yaml:"topology"`
	IsDefault bool   `yaml:"cluster_default"`
	Tree      struct {
		Switches []struct {
			Name     string `yaml:"switch"`
			Nodes    string `yaml:"nodes"`
			Children string `yaml:"children"`
		} `yaml:"switches"`
	} `yaml:"tree"`
	Block struct {
		Sizes  []int `yaml:"block_sizes"`
		Blocks []struct {
			Name  string `yaml:"block"`
			Nodes string `yaml:"nodes"`
		} `yaml:"blocks"`
	} `yaml:"block"`
	Ring struct {
		Rings []struct {
			Nodes string `yaml:"nodes"`
		} `yaml:"rings"`
	} `yaml:"ring"`
	Torus struct {
		Toruses []struct {
			Nodes   string `yaml:"nodes"`
			Regions []struct {
				Nodes string `yaml:"nodes"`
			} `yaml:"regions"`
		} `yaml:"toruses"`
	} `yaml:"torus3d"`
}

// kind is the plug-in of the topology, and nodes are the lists of nodes that it has.
func (t oneTopology) kind() (kind string, nodes []string) {
	kind = flat
	take := func(of, list string) {
		kind = of
		if list != "" {
			nodes = append(nodes, list)
		}
	}
	for _, s := range t.Tree.Switches {
		take(tree, s.Nodes)
	}
	for _, b := range t.Block.Blocks {
		take(block, b.Nodes)
	}
	for _, one := range t.Ring.Rings {
		take(ring, one.Nodes)
	}
	for _, one := range t.Torus.Toruses {
		take(torus, one.Nodes)
		for _, region := range one.Regions {
			take(torus, region.Nodes)
		}
	}
	return kind, nodes
}

// topologyYAML takes over topology.yaml, which Slurm reads in the place of topology.conf (topology_g_init in src/interfaces/topology.c).
// Of several topologies the cluster's default counts, or the first.
func (r *reader) topologyYAML(f File) {
	var all topologyFile
	const allowed = "a list of topologies (topology.yaml(5))"
	switch err := yaml.Unmarshal([]byte(f.Text), &all); {
	case err != nil:
		r.fail(fileLine{f.Name, 1}, fmt.Sprintf("got %.200q", yaml.FormatError(err, false, false)), allowed)
		return
	case len(all) == 0:
		r.fail(fileLine{f.Name, 1}, "got no topology", allowed)
		return
	}
	chosen := all[0]
	for _, t := range all {
		// "The first topology defined with cluster_default: true" (topology.yaml(5)).
		if t.IsDefault {
			chosen = t
			break
		}
	}
	at := fileLine{f.Name, 1}
	for _, t := range all {
		if t.Name != chosen.Name {
			kind, nodes := t.kind()
			r.others = append(r.others, otherTopology{at: at, name: t.Name, kind: kind, nodes: strings.Join(nodes, ",")})
		}
	}
	if len(r.switches) > 0 {
		r.note("%s is left out: Slurm reads %s in its place", r.switches[0].file, f.Name)
	}
	r.switches, r.topology = nil, chosen.Name
	line := func(first, second pair) {
		if second.value != "" {
			r.switches = append(r.switches, record{at, []pair{first, second}})
		}
	}
	for _, s := range chosen.Tree.Switches {
		// Slurm ignores the children of a switch with nodes (switch_record_validate in src/plugins/topology/tree/switch_record.c).
		below := pair{key: "Switches", value: s.Children}
		if s.Nodes != "" {
			below = pair{key: nodesKey, value: s.Nodes}
		}
		line(pair{key: switchKey, value: s.Name}, below)
	}
	for _, b := range chosen.Block.Blocks {
		line(pair{key: blockKey, value: b.Name}, pair{key: nodesKey, value: b.Nodes})
	}
	if len(chosen.Block.Sizes) > 0 {
		sizes := strings.ReplaceAll(strings.Trim(fmt.Sprint(chosen.Block.Sizes), "[]"), " ", ",")
		r.switches = append(r.switches, record{at, []pair{{key: sizesKey, value: sizes}}})
	}
	switch kind, nodes := chosen.kind(); kind {
	case ring, torus:
		r.apart(at, kind, nodes)
	case tree, block:
		if len(nodes) == 0 {
			r.note("topology %s has neither leaf switches nor blocks with nodes: all nodes are alike", strconv.Quote(chosen.Name))
		}
	}
}

// apart notes that a cluster whose nodes are in rings or toruses has nodes that are alike.
func (r *reader) apart(at fileLine, kind string, nodes []string) {
	r.note("%s: topology/%s with %s is left out, as a machine file has switches or blocks alone: a job may get nodes that are no neighbours",
		at.file, kind, r.counted(at, strings.Join(nodes, ",")))
}

// counted is the number of the cluster's nodes in a list, in words.
func (r *reader) counted(at fileLine, list string) string {
	in := map[*node]bool{}
	for _, name := range r.listed(record{at, []pair{{key: nodesKey, value: list}}}, list) {
		if n := r.nodes.known[name]; n != nil {
			in[n] = true
		}
	}
	return fmt.Sprintf("%d of %d nodes", len(in), len(r.nodes.order))
}

// otherTopology is a topology of topology.yaml that single partitions have.
type otherTopology struct {
	at                fileLine
	name, kind, nodes string
	partitions        []string
}

// hasTopology takes over the Topology of a partition. It says whether the partition needs no note of its own: it has the cluster's topology, or one
// of the others, whose note names it.
func (r *reader) hasTopology(partition, name string) bool {
	if name == cmp.Or(r.topology, defaultTopology) {
		return true
	}
	at := slices.IndexFunc(r.others, func(o otherTopology) bool { return o.name == name })
	if at >= 0 {
		r.others[at].partitions = append(r.others[at].partitions, partition)
	}
	return at >= 0
}

// leaveOthers notes the topologies that are not the cluster's.
func (r *reader) leaveOthers() {
	for _, o := range r.others {
		what, effect := o.kind, "no partition has it"
		if o.kind != flat {
			what += " with " + r.counted(o.at, o.nodes)
		}
		if n := len(o.partitions); n > 0 {
			effect = fmt.Sprintf("%d of %d partitions have it (%s), whose jobs get nodes by topology %s, the cluster's", n, len(r.partitions), strings.Join(o.partitions, ", "), r.topology)
		}
		r.note("%s: topology %s (%s) is left out, as a machine file has one topology: %s", o.at.file, o.name, what, effect)
	}
}

// switchKey, blockKey and ringKey begin the lines of topology.conf that have nodes, sizesKey the one with the sizes of blocks.
const switchKey, blockKey, ringKey, sizesKey, nodesKey = "SwitchName", "BlockName", "RingName", "BlockSizes", "Nodes"

// defaultTopology is the name of the only topology without topology.yaml (topology_g_init in src/interfaces/topology.c).
const defaultTopology = "default"

// topologyKey is the key of slurm.conf for the plug-in.
const topologyKey = "TopologyPlugin"

// network takes over the switches, or the blocks, of the topology as far as a machine file has such. The nodes have these numbers.
func (r *reader) network(c *Cluster, groups [][]*node, numbers map[string]int) {
	r.leaveOthers()
	if plugin := r.topologyPlugin(); r.topology == "" && len(r.switches) > 0 && plugin == flat {
		r.note("%s is left out: Slurm does not read it with TopologyPlugin=topology/%s", r.switches[0].file, flat)
		return
	}
	if plugin := r.topologyPlugin(); r.topology == "" && len(r.switches) == 0 && plugin != "" && plugin != flat {
		r.note("TopologyPlugin=topology/%s: no topology.conf is among the files, so all nodes are alike", plugin)
	}
	n := network{reader: r, leaf: map[string]string{}, what: "switches"}
	var rings []string
	for _, rec := range r.switches {
		switch list, ok := rec.value(nodesKey); {
		case rec.is(ringKey):
			rings = append(rings, list)
		case rec.is(sizesKey):
			c.BlockSizes = r.blockSizes(rec, rec.pairs[0].value)
		case ok:
			n.below(rec, r.resolve(rec, list))
		case rec.is(switchKey):
			n.upper = append(n.upper, rec)
		}
	}
	if len(rings) > 0 {
		r.apart(r.switches[0].fileLine, ring, rings)
	}
	nodes := slices.Concat(groups...)
	n.ofNodes(nodes)
	all, ok := n.runs(nodes)
	switch {
	case !ok:
		c.BlockSizes = nil
	case n.what == "blocks":
		c.Blocks, c.BlockSizes = n.blocks(all, c.BlockSizes)
	case len(all) > 0:
		c.LeafNodes, c.Switches = n.tree(all, nodes, numbers)
	}
}

// The plug-ins of topologies; flat is the one without.
const flat, tree, block, ring, torus = "flat", "tree", "block", "ring", "torus3d"

// topologyPlugin is the word behind topology/, flat for none, and "" without a slurm.conf (validate_and_set_defaults in src/common/read_config.c).
func (r *reader) topologyPlugin() string {
	if len(r.settings) == 0 {
		return ""
	}
	switch word := strings.TrimPrefix(strings.ToLower(r.setting(topologyKey).value), "topology/"); word {
	case "", "none", "default":
		return flat
	default:
		return word
	}
}

// network is what the files say of switches or blocks.
type network struct {
	*reader
	// what are they.
	what string
	// leaf is the leaf switch, or the block, of a node by its name; order are these, and twice is a node in two.
	leaf  map[string]string
	order []string
	twice string
	// upper are the lines of switches above others.
	upper []record
}

// below takes over the line of a leaf switch or a block.
func (n *network) below(rec record, hosts []string) {
	if rec.is(blockKey) {
		n.what = "blocks"
	}
	name := rec.pairs[0].value
	n.order = append(n.order, name)
	for _, host := range hosts {
		if at, there := n.leaf[host]; there && at != name {
			n.twice = host
		}
		n.leaf[host] = name
	}
}

// ofNodes takes over Topology of nodes, TOPOLOGY:UNIT or TOPOLOGY:SWITCH:...:UNIT with commas between them, which overrides the file
// (topology_g_add_rm_node in src/interfaces/topology.c).
func (n *network) ofNodes(nodes []*node) {
	for _, one := range nodes {
		if one.topology == "" || len(n.leaf) == 0 {
			continue
		}
		delete(n.leaf, one.name)
		for unit := range strings.SplitSeq(one.topology, ",") {
			words := strings.Split(unit, ":")
			if words[0] == cmp.Or(n.topology, defaultTopology) && slices.Contains(n.order, words[len(words)-1]) {
				n.leaf[one.name] = words[len(words)-1]
			}
		}
	}
}

// leave notes that the topology is left out.
func (n *network) leave(format string, args ...any) {
	n.note(n.what+" are left out: a machine file has "+format, args...)
}

// run is a number of neighbouring nodes of a leaf switch or a block, the first of which is the node first, from 0.
type run struct {
	name         string
	first, nodes int
}

// runs are the nodes of the machine by leaf switches or blocks.
func (n *network) runs(nodes []*node) (all []run, ok bool) {
	if len(n.leaf) == 0 {
		return nil, false
	}
	if n.twice != "" {
		n.leave("each node in one of them, and %s is in two", n.twice)
		return nil, false
	}
	for i, one := range nodes {
		at, in := n.leaf[one.name]
		if !in {
			n.leave("all nodes in them, and %s is in none", one.name)
			return nil, false
		}
		if k := len(all) - 1; k < 0 || all[k].name != at {
			all = append(all, run{at, i, 0})
		}
		all[len(all)-1].nodes++
	}
	return all, true
}

// blocks are the numbers of nodes of the blocks, which a machine file has in the order of their nodes.
func (n *network) blocks(all []run, sizes []int) (nodes, blockSizes []int) {
	var names []string
	for i, one := range all {
		if slices.Contains(names, one.name) {
			n.leave("those of neighbouring nodes alone, and node %d is not beside the others of block %s", one.first+1, one.name)
			return nil, nil
		}
		names, nodes = append(names, one.name), append(nodes, all[i].nodes)
	}
	// Blocks of which no node is in the machine are left out.
	order := slices.DeleteFunc(slices.Clone(n.order), func(name string) bool { return !slices.Contains(names, name) })
	if !slices.Equal(names, order) {
		n.leave("them in the order of their nodes, and here they are in the order %s", strings.Join(order[:min(len(order), 10)], ", "))
		return nil, nil
	}
	return nodes, sizes
}

// tree is the number of nodes of each leaf switch if all are equal, of neighbours, and below one switch; or it is the list of switches.
func (n *network) tree(all []run, nodes []*node, numbers map[string]int) (leafNodes int, switches []layout.Switch) {
	of := map[string][]string{}
	for _, one := range nodes {
		at := n.leaf[one.name]
		of[at] = append(of[at], fmt.Sprintf("%s%d", layout.NodePrefix, numbers[one.name]))
	}
	// A switch of which no node is in the machine is left out.
	level, names := map[string]int{}, map[string]string{}
	add := func(s layout.Switch, name string, at int) {
		level[name] = at
		s.Name = fmt.Sprintf("l%ds%d", at, 1+len(names))
		names[name], switches = s.Name, append(switches, s)
	}
	for _, name := range n.order {
		if hosts := of[name]; len(hosts) > 0 && names[name] == "" {
			add(layout.Switch{Nodes: values.CompressHosts(hosts)}, name, 0)
		}
	}
	leaves := len(switches)
	n.above(func(name string, below []string) {
		at := 0
		var children []string
		for _, b := range below {
			if names[b] != "" {
				children, at = append(children, names[b]), max(at, level[b]+1)
			}
		}
		if len(children) > 0 {
			add(layout.Switch{Switches: values.CompressHosts(children)}, name, at)
		}
	})
	if size := all[0].nodes; len(all) == leaves && len(switches) == leaves+1 {
		whole, _ := values.ExpandHosts(switches[leaves].Switches)
		equal := !slices.ContainsFunc(all[:leaves-1], func(one run) bool { return one.nodes != size }) && all[leaves-1].nodes <= size
		if equal && len(whole) == leaves {
			return size, nil
		}
	}
	return 0, switches
}

// mostLevels is how many levels of switches Slurm looks for.
const mostLevels = 20

// above hands over the switches above others, each behind those below it. Slurm refuses others (switch_record_validate in
// src/plugins/topology/tree/switch_record.c).
func (n *network) above(take func(name string, below []string)) {
	done := map[string]bool{}
	for _, name := range n.order {
		done[name] = true
	}
	left := n.upper
	for depth := 1; len(left) > 0; depth++ {
		var later []record
		for _, rec := range left {
			list, _ := rec.value("Switches")
			below, err := values.ExpandHosts(list)
			if err != nil {
				n.wrong(rec.fileLine, "Switches", list, "a list of switches")
				return
			}
			if slices.ContainsFunc(below, func(name string) bool { return !done[name] }) {
				later = append(later, rec)
				continue
			}
			take(rec.pairs[0].value, below)
			done[rec.pairs[0].value] = true
		}
		if len(later) == len(left) || len(later) > 0 && depth > mostLevels {
			list, _ := later[0].value("Switches")
			n.wrong(later[0].fileLine, "Switches", list, fmt.Sprintf("names of other switches of the file, none above itself, on at most %d levels", mostLevels))
			return
		}
		left = later
	}
}

// blockSizes reads BlockSizes, numbers with commas between them.
func (r *reader) blockSizes(rec record, text string) []int {
	var sizes []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			n = 0
		}
		sizes = append(sizes, n)
	}
	if !layout.AreBlockSizes(sizes) {
		r.wrong(rec.at(sizesKey), sizesKey, text, layout.BlockSizesRule)
		return nil
	}
	return sizes
}
