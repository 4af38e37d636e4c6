package site

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// node is what a file says of one node.
type node struct {
	fileLine
	name   string
	group  layout.Group
	down   layout.Down
	absent string // why the node is not part of the machine, "" if it is
	// topology is Topology of slurm.conf(5), which overrides the file with the topology.
	topology string
	// untyped is the number of GPUs without a type in Gres.
	untyped int
	// shown says that scontrol has the last word on the node.
	shown bool
}

// nodeTable has the nodes in the order in which they were named first.
type nodeTable struct {
	order []*node
	known map[string]*node
	// byDefault are the pairs of NodeName=DEFAULT so far.
	byDefault []pair
}

// confNode takes a line NodeName= of slurm.conf.
func (r *reader) confNode(rec record) {
	list, _ := rec.value("NodeName")
	rec = plainFeature(rec)
	if strings.EqualFold(list, "DEFAULT") {
		r.nodes.byDefault = instead(byDefault(rec.fileLine, rec.pairs[1:]), r.nodes.byDefault)
		return
	}
	rec.pairs = append(slices.Clone(rec.pairs), r.nodes.byDefault...)
	for _, name := range r.hosts(rec, "NodeName", list) {
		if r.nodes.known[name] != nil {
			r.wrong(rec.at("NodeName"), "NodeName", name, "each node once; "+r.nodes.known[name].String()+" has it")
			return
		}
		r.add(&node{fileLine: rec.fileLine, name: name}).fill(r, rec)
	}
}

// plainFeature calls Features by its other name, which comes first in a line that has both (_parse_nodename).
func plainFeature(rec record) record {
	rec.pairs = slices.Clone(rec.pairs)
	_, both := rec.value("Feature")
	for i := range rec.pairs {
		if strings.EqualFold(rec.pairs[i].key, "Features") && !both {
			rec.pairs[i].key = "Feature"
		}
	}
	return rec
}

// shownNode takes a paragraph of "scontrol show node", which has the last word.
func (r *reader) shownNode(rec record) {
	name, _ := rec.value("NodeName")
	n := r.nodes.known[name]
	if n == nil {
		n = r.add(&node{name: name})
	}
	*n = node{fileLine: rec.fileLine, name: name, shown: true}
	n.fill(r, rec)
}

func (r *reader) add(n *node) *node {
	r.nodes.order = append(r.nodes.order, n)
	r.nodes.known[n.name] = n
	return n
}

// hosts are the names of a hostlist.
func (r *reader) hosts(rec record, key, list string) []string {
	names, err := values.ExpandHosts(list)
	if err != nil || len(names) == 0 {
		r.wrong(rec.at(key), key, list, "a hostlist such as cn[001-064,100]")
	}
	return names
}

// number is the value of the first of the keys that is there, or else other.
func (r *reader) number(rec record, other int, keys ...string) int {
	return r.upTo(layout.MaxMemory, rec, other, keys...)
}

// upTo is number with another bound.
func (r *reader) upTo(most int, rec record, other int, keys ...string) int {
	text, ok := rec.value(keys...)
	if !ok || text == "" {
		return other
	}
	n, ok := unsigned(text)
	if !ok || n > most {
		r.wrong(rec.at(keys...), keys[0], text, fmt.Sprintf("0..%d", most))
		return other
	}
	return n
}

// fill reads the keys of slurm.conf(5), "NODE CONFIGURATION"; scontrol prints the same ones and
// a few of other spelling.
func (n *node) fill(r *reader, rec record) {
	n.processors(r, rec)
	n.memoryOf(r, rec)
	if text, _ := rec.value("RestrictedCoresPerGPU"); text != "" && text != "0" {
		r.noteNode("RestrictedCoresPerGPU of nodes such as ", n, " is left out: jobs without GPUs may have these cores")
	}
	n.topology, _ = rec.value("Topology")
	n.group.Weight = r.upTo(math.MaxUint32-1, rec, 1, "Weight")
	n.features(r, rec)
	n.gres(r, rec)
	n.state(r, rec)
}

func (n *node) features(r *reader, rec record) {
	text, _ := rec.value("Feature", "Features", "AvailableFeatures")
	for f := range strings.SplitSeq(values.Text(text), ",") {
		switch {
		case f == "" || slices.Contains(n.group.Features, f):
		case !layout.IsWord(f):
			r.noteNode(fmt.Sprintf("feature %q of nodes such as ", f), n, " is left out: names of features are letters, digits, -, _ and ., the first a letter or digit")
		default:
			n.group.Features = append(n.group.Features, f)
		}
	}
	slices.Sort(n.group.Features)
}

// gres reads a list such as gpu:a100:4(S:0-1),shard:8.
func (n *node) gres(r *reader, rec record) {
	text, _ := rec.value("Gres")
	err := values.Resources(values.Text(text), func(g values.Resource) {
		switch {
		case g.Name == "shard":
			n.group.Shards = min(n.group.Shards+g.Count, layout.MaxShared+1)
		case g.Name == "mps":
			n.group.MPS = min(n.group.MPS+g.Count, layout.MaxShared+1)
		case g.Name != "gpu":
			r.noteNode(fmt.Sprintf("generic resource %q of nodes such as ", g.Name), n, " is left out: machines have GPUs and their shards or MPS alone")
		case g.Type == "":
			n.untyped += g.Count
		default:
			n.addGPUs(g.Type, g.Count)
		}
	})
	if err != nil {
		r.wrong(rec.at("Gres"), "Gres", text, "a list such as gpu:4,shard:16 or gpu:a100:4,gpu:v100:2")
	}
}

func (n *node) addGPUs(kind string, count int) {
	for i := range n.group.GPUs {
		if n.group.GPUs[i].Type == kind {
			n.group.GPUs[i].Count += count
			return
		}
	}
	if count > 0 {
		n.group.GPUs = append(n.group.GPUs, layout.GPU{Type: kind, Count: count})
	}
}

// state sets what keeps a node from taking jobs (slurm.conf(5), "State" of nodes, and
// scontrol(1)).
func (n *node) state(r *reader, rec record) {
	text, _ := rec.value("State")
	reason, _ := rec.value("Reason")
	reason, _, _ = strings.Cut(reason, " [")
	state := values.ReadNodeState(text)
	if state.Future {
		n.absent = "is FUTURE, and no node yet"
	}
	if state.Power {
		r.noteNode("nodes such as ", n, fmt.Sprintf(" are in the cloud or may be powered down (State=%s); here they are always on", text))
	}
	for _, word := range state.Unknown {
		r.noteNode("nodes such as ", n, fmt.Sprintf(" have a state that is unknown here (%.40q), and are in service", word))
	}
	switch {
	case state.Down:
		n.down = layout.Down{State: layout.StateDown, Reason: plain(reason)}
	case state.Drained, state.Maintenance:
		n.down = layout.Down{State: layout.StateDrain, Reason: plain(reason)}
	}
}

// plain is a reason as a machine file may have it.
func plain(reason string) string {
	reason = strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' || strings.ContainsRune(`"'#\`, c) {
			return '_'
		}
		return c
	}, strings.TrimSpace(reason))
	if len(reason) > 64 {
		reason = reason[:64]
	}
	if reason == "" {
		return "out of service"
	}
	return reason
}

// takeDowns takes the lines DownNodes= of slurm.conf, for nodes of which scontrol says nothing.
func (r *reader) takeDowns() {
	for _, rec := range r.downs {
		list, _ := rec.value("DownNodes")
		state, _ := rec.value("State")
		if state == "" {
			state = "DOWN"
		}
		for _, name := range r.hosts(rec, "DownNodes", list) {
			n := r.nodes.known[name]
			if n == nil {
				r.wrong(rec.at("DownNodes"), "DownNodes", name, "a node of NodeName")
				break
			}
			if !n.shown {
				reason, _ := rec.value("Reason")
				n.state(r, record{rec.fileLine, []pair{{key: "State", value: state}, {key: "Reason", value: reason}}})
			}
		}
	}
}

// devices is the number of files in a list, which is written as one of hosts: /dev/nvidia[0-3],/dev/nvidia7.
func devices(list string) int {
	count := 0
	for _, item := range splitList(list) {
		files, err := values.ExpandHosts(path.Base(item))
		if err != nil {
			return 1
		}
		count += len(files)
	}
	return max(1, count)
}

// noteGresTypes says that Slurm ignores the GPUs of a whole slurm.conf without GresTypes (gres_init in src/interfaces/gres.c).
func (r *reader) noteGresTypes() {
	if len(r.settings) == 0 || slices.ContainsFunc(splitList(r.setting("GresTypes").value), func(g string) bool { return strings.EqualFold(strings.TrimSpace(g), "gpu") }) {
		return
	}
	for _, n := range r.nodes.order {
		if n.untyped+n.group.AllGPUs() > 0 && !n.shown {
			r.noteNode("GPUs of nodes such as ", n, " are kept, though Slurm ignores them: GresTypes of slurm.conf has no gpu")
			return
		}
	}
}

// takeShared settles the parts of GPUs. slurm.conf has how many a node has, gres.conf may divide them unevenly.
func (r *reader) takeShared() {
	for _, n := range r.nodes.order {
		g := &n.group
		if len(g.GPUs) == 0 && g.Shards+g.MPS > 0 {
			// _set_alt_gres: "we have a shared gres ... but no gres that is sharing".
			r.noteNode("shards and MPS of nodes such as ", n, " are left out: they are parts of GPUs, and the node has none")
			g.Shards, g.MPS = 0, 0
		}
		if g.Shards > 0 && g.MPS > 0 {
			r.noteNode("MPS of nodes such as ", n, " is left out: it has shards, and Slurm ties one of the two to the GPUs of a node")
			g.MPS = 0
		}
	}
	r.noteUneven()
}

// noteUneven notes lines of gres.conf that give the GPUs of a node unequal parts, or some none.
func (r *reader) noteUneven() {
	type parts struct {
		counts map[string]bool
		files  int
	}
	known := map[string]*parts{}
	for _, rec := range r.gpus {
		name, _ := rec.value("Name")
		files, ok := rec.value("File", "Files")
		if name = strings.ToLower(name); !ok || name != "shard" && name != "mps" {
			continue
		}
		count, _ := rec.value("Count")
		n := devices(files)
		hosts := []string{""}
		if list, there := rec.value("NodeName"); there {
			hosts = r.hosts(rec, "NodeName", list)
		}
		for _, host := range hosts {
			p := known[name+" "+host]
			if p == nil {
				p = &parts{counts: map[string]bool{}}
				known[name+" "+host] = p
			}
			p.counts[fmt.Sprintf("%s/%d", count, n)] = true
			p.files += n
		}
	}
	for _, n := range r.nodes.order {
		for name, count := range map[string]int{"shard": n.group.Shards, "mps": n.group.MPS} {
			for _, list := range []string{"", n.name} {
				if p := known[name+" "+list]; count > 0 && p != nil && (len(p.counts) > 1 || p.files != n.group.AllGPUs()) {
					r.noteNode("gres/"+name+" of gres.conf that is not the same for all GPUs of nodes such as ", n, " is left out: here the GPUs have equal parts")
				}
			}
		}
	}
}

// takeGPUs takes the types of gres.conf for GPUs that slurm.conf has without one.
func (r *reader) takeGPUs() {
	type typed struct {
		kind  string
		count int
	}
	of := map[string][]typed{}
	const all = ""
	for _, rec := range r.gpus {
		if name, _ := rec.value("Name"); !strings.EqualFold(name, "gpu") {
			continue
		}
		kind, _ := rec.value("Type")
		count := 1
		if text, ok := rec.value("File", "MultipleFiles"); ok {
			count = devices(text)
		}
		count = r.number(rec, count, "Count")
		names := []string{all}
		if list, ok := rec.value("NodeName"); ok {
			names = r.hosts(rec, "NodeName", list)
		}
		for _, name := range names {
			of[name] = append(of[name], typed{kind, count})
		}
	}
	for _, n := range r.nodes.order {
		if n.untyped == 0 {
			continue
		}
		list, sum := append(of[n.name], of[all]...), 0
		for _, t := range list {
			sum += t.count
		}
		if sum != n.untyped && sum > 0 {
			r.noteNode("types of GPUs in gres.conf are left out for nodes such as ", n, fmt.Sprintf(": it has %d of them, and slurm.conf %d", sum, n.untyped))
		}
		if sum != n.untyped || slices.ContainsFunc(list, func(t typed) bool { return t.kind == "" }) {
			list = []typed{{"", n.untyped}}
		}
		for _, t := range list {
			n.addGPUs(t.kind, t.count)
		}
		if len(n.group.GPUs) > 1 && slices.ContainsFunc(n.group.GPUs, func(g layout.GPU) bool { return g.Type == "" }) {
			r.wrong(n.fileLine, "Gres", n.name, "a type for all GPUs of a node or for none; gres.conf may have them")
		}
	}
}
