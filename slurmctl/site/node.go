package site

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// node is what a file says of one node.
type node struct {
	place
	name   string
	group  layout.Group
	down   layout.Down
	absent string // why the node is not part of the machine, "" if it is
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
	if strings.EqualFold(list, "DEFAULT") {
		r.nodes.byDefault = append(slices.Clone(rec.pairs[1:]), r.nodes.byDefault...)
		return
	}
	rec.pairs = append(slices.Clone(rec.pairs), r.nodes.byDefault...)
	for _, name := range r.hosts(rec, "NodeName", list) {
		if r.nodes.known[name] != nil {
			r.wrong(rec.place, "NodeName", name, "each node once; "+r.nodes.known[name].String()+" has it")
			return
		}
		r.add(&node{place: rec.place, name: name}).fill(r, rec)
	}
}

// shownNode takes a paragraph of "scontrol show node", which has the last word.
func (r *reader) shownNode(rec record) {
	name, _ := rec.value("NodeName")
	n := r.nodes.known[name]
	if n == nil {
		n = r.add(&node{name: name})
	}
	*n = node{place: rec.place, name: name, shown: true}
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
		r.wrong(rec.place, key, list, "a hostlist such as cn[001-064,100]")
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
	n, ok := values.Count(text)
	if !ok || n > most {
		r.wrong(rec.place, keys[0], text, fmt.Sprintf("0..%d", most))
		return other
	}
	return n
}

// fill reads the keys of slurm.conf(5), "NODE CONFIGURATION"; scontrol prints the same ones and
// a few of other spelling.
func (n *node) fill(r *reader, rec record) {
	g := &n.group
	g.Threads = max(1, r.number(rec, 1, "ThreadsPerCore"))
	boards := max(1, r.number(rec, 1, "Boards"))
	cpus := r.number(rec, 0, "CPUs", "Procs", "CPUTot")
	perSocket := r.number(rec, 0, "CoresPerSocket")
	sockets := r.number(rec, 0, "Sockets")
	if sockets == 0 {
		sockets = boards * r.number(rec, 0, "SocketsPerBoard")
	}
	switch {
	case sockets > 0 && perSocket > 0:
	case sockets > 0:
		perSocket = max(1, cpus/(sockets*g.Threads))
	case perSocket > 0 && cpus > 0:
		sockets = max(1, cpus/(perSocket*g.Threads))
	default:
		// As many processors without a word of sockets: one socket serves jobs as well.
		sockets, perSocket = 1, max(1, cpus/g.Threads, perSocket)
	}
	g.Sockets, g.Cores = sockets, sockets*perSocket
	if g.Threads > 1 && cpus == g.Cores {
		r.noteNode("threads of nodes such as ", n, fmt.Sprintf(" are left out: each CPU is a whole core (CPUs=%d)", cpus))
		g.Threads = 1
	}
	g.Memory = r.number(rec, 0, "RealMemory")
	g.Weight = r.number(rec, 1, "Weight")
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
		case g.Name != "gpu":
			r.noteNode(fmt.Sprintf("generic resource %q of nodes such as ", g.Name), n, " is left out: machines have GPUs alone")
		case g.Type == "":
			n.untyped += g.Count
		default:
			n.addGPUs(g.Type, g.Count)
		}
	})
	if err != nil {
		r.wrong(rec.place, "Gres", text, "a list such as gpu:4 or gpu:a100:4,gpu:v100:2")
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
	set := func(state string) { n.down = layout.Down{State: state, Reason: plain(reason)} }
	for word := range strings.FieldsFuncSeq(strings.ToUpper(text), func(c rune) bool { return c == '+' || c == '*' || c == ',' }) {
		switch word {
		case "FUTURE":
			n.absent = "is FUTURE, and no node yet"
		case "CLOUD", "POWERED_DOWN", "POWERING_DOWN":
			r.noteNode("nodes such as ", n, fmt.Sprintf(" are in the cloud or may be powered down (State=%s); here they are always on", text))
		case "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "MAINT":
			if n.down.State == "" {
				set(layout.StateDrain)
			}
		case "DOWN", "ERROR":
			set(layout.StateDown)
		}
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
				r.wrong(rec.place, "DownNodes", name, "a node of NodeName")
				break
			}
			if !n.shown {
				reason, _ := rec.value("Reason")
				n.state(r, record{rec.place, []pair{{"State", state}, {"Reason", reason}}})
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
		if text, ok := rec.value("File"); ok {
			// A list of devices is written as one of hosts: /dev/nvidia[0-3].
			if files, err := values.ExpandHosts(path.Base(text)); err == nil {
				count = len(files)
			}
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
		if sum != n.untyped || slices.ContainsFunc(list, func(t typed) bool { return t.kind == "" }) {
			list = []typed{{"", n.untyped}}
		}
		for _, t := range list {
			n.addGPUs(t.kind, t.count)
		}
		if len(n.group.GPUs) > 1 && slices.ContainsFunc(n.group.GPUs, func(g layout.GPU) bool { return g.Type == "" }) {
			r.wrong(n.place, "Gres", n.name, "a type for all GPUs of a node or for none; gres.conf may have them")
		}
	}
}
