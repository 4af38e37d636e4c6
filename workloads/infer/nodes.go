package infer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// builder makes groups and partitions of the nodes of a sweep.
type builder struct {
	*collected
	sweep, one *sweep
	in         *Inferred
}

// kind are nodes that become a group: alike in their names, in the same partitions, with the same most cores and GPUs at once.
type kind struct {
	pattern string
	nodes   []*siteNode
	// raised are nodes that held less, and are taken to be like the others.
	raised []*siteNode
	size   []int
}

// pattern is a name with # for each number, and ordered a text that orders names by their numbers.
func pattern(name string) (pattern, ordered string) {
	var p, o strings.Builder
	for i := 0; i < len(name); {
		end := i
		for end < len(name) && name[end] >= '0' && name[end] <= '9' {
			end++
		}
		if end == i {
			p.WriteByte(name[i])
			o.WriteByte(name[i])
			i++
			continue
		}
		p.WriteByte('#')
		fmt.Fprintf(&o, "%20s", strings.TrimLeft(name[i:end], "0"))
		i = end
	}
	return p.String(), o.String()
}

func byName(a, b *siteNode) int {
	_, x := pattern(a.name)
	_, y := pattern(b.name)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.name, b.name))
}

func (b *builder) build() {
	nodes := slices.SortedFunc(maps.Values(b.sweep.nodes), byName)
	kinds := b.kinds(nodes, b.visited)
	if len(kinds) > layout.MaxGroups {
		b.in.Notes = append(b.in.Notes, fmt.Sprintf("nodes with names alike are taken to be in the same partitions: as the jobs show them there would be %d groups, allowed %d", len(kinds), layout.MaxGroups))
		kinds = b.kinds(nodes, func(*siteNode) string { return "" })
	}
	name := layout.GroupNames()
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = name(k.nodes[0].name)
		b.group(names[i], k)
	}
	b.memory()
	for i, p := range b.parts {
		b.partition(i, p, kinds, names)
	}
	b.in.defaultPartition(b.parts)
	b.orphans()
	b.gaps(nodes)
}

// visited are the partitions whose jobs had the node.
func (b *builder) visited(n *siteNode) string { return fmt.Sprint(slices.Sorted(maps.Keys(n.visits))) }

func (b *builder) kinds(nodes []*siteNode, partitions func(*siteNode) string) []*kind {
	families := map[string][]*kind{}
	var order []string
	for _, n := range nodes {
		p, _ := pattern(n.name)
		family := p + partitions(n)
		if families[family] == nil {
			order = append(order, family)
		}
		size := b.size(n)
		i := slices.IndexFunc(families[family], func(k *kind) bool { return slices.Equal(k.size, size) })
		if i < 0 {
			i = len(families[family])
			families[family] = append(families[family], &kind{pattern: p, size: size})
		}
		k := families[family][i]
		k.nodes = append(k.nodes, n)
	}
	var all []*kind
	for _, family := range order {
		all = append(all, b.raise(families[family])...)
	}
	slices.SortStableFunc(all, func(x, y *kind) int { return byName(x.nodes[0], y.nodes[0]) })
	return all
}

// size are the most cores and GPUs; memory differs with what jobs asked for.
func (b *builder) size(n *siteNode) []int {
	size := make([]int, len(n.peaks))
	for i, p := range n.peaks {
		if i != atMemory {
			size[i] = p.value
		}
	}
	// Types tell more than their sum, which has also GPUs without a type.
	if typed := sum(size[firstType:]); typed > 0 {
		if size[atGPUs] > typed && len(b.resources) == firstType+1 {
			size[firstType] = size[atGPUs]
		}
		size[atGPUs] = 0
	}
	return size
}

func sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}

// fewTimes is how often a value must be reached in one way to be taken for the size of nodes beside larger ones.
const fewTimes = 3

// raise puts nodes that were seldom at their most into the smallest larger kind of the same names and partitions.
func (b *builder) raise(family []*kind) []*kind {
	slices.SortStableFunc(family, func(x, y *kind) int {
		return cmp.Or(cmp.Compare(sum(x.size[atGPUs:]), sum(y.size[atGPUs:])), cmp.Compare(x.size[atCores], y.size[atCores]))
	})
	var kept []*kind
	for i, k := range family {
		to := -1
		for j := i + 1; j < len(family) && !k.supported(); j++ {
			if !covers(family[j].size, k.size) {
				continue
			}
			to = j
			if family[j].supported() {
				break
			}
		}
		if to < 0 {
			kept = append(kept, k)
			continue
		}
		family[to].raised = append(append(family[to].raised, k.nodes...), k.raised...)
	}
	for _, k := range kept {
		k.nodes = append(k.nodes, k.raised...)
		slices.SortFunc(k.nodes, byName)
	}
	return kept
}

func covers(large, small []int) bool {
	for i := range large {
		if large[i] < small[i] {
			return false
		}
	}
	return true
}

// supported says that the nodes were at their size often or in different ways. A node without GPUs has run a few jobs without one.
func (k *kind) supported() bool {
	for r, value := range k.size {
		e := k.evidence(r)
		if value > 0 && len(e.ways) < 2 && e.times < fewTimes {
			return false
		}
	}
	jobs := 0
	for _, n := range k.nodes {
		jobs += n.jobs
	}
	return jobs >= fewTimes
}

// evidence is what all nodes of the kind tell of its size.
func (k *kind) evidence(resource int) peak {
	e := peak{value: k.size[resource]}
	for _, n := range k.nodes {
		p := n.peaks[resource]
		if p.value != e.value {
			continue
		}
		e.times += p.times
		e.whole = e.whole || p.whole
		for _, w := range p.ways {
			if !slices.Contains(e.ways, w) {
				e.ways = append(e.ways, w)
			}
		}
	}
	return e
}

func (b *builder) group(name string, k *kind) {
	of, hosts := "group "+name, make([]string, len(k.nodes))
	once := 0
	for i, n := range k.nodes {
		hosts[i] = n.name
		if n.jobs == 1 {
			once++
		}
	}
	g := layout.Group{Name: name, Count: len(k.nodes), Sockets: 1, Cores: k.size[atCores], Threads: 1, Weight: 1, Hosts: values.CompressHosts(hosts)}
	sure := Sure
	if once > 0 {
		sure = AtLeast
	}
	b.in.find(of, "nodes", strconv.Itoa(g.Count), sure, fmt.Sprintf("named by jobs; %d had one job alone", once))
	b.reached(of, atCores, k)
	for r := atGPUs; r < len(k.size); r++ {
		if k.size[r] == 0 {
			continue
		}
		gpu := layout.GPU{Count: k.size[r]}
		if r >= firstType {
			gpu.Type = b.resources[r]
		}
		g.GPUs = append(g.GPUs, gpu)
		b.reached(of, r, k)
	}
	if n := len(k.raised); n > 0 {
		var low []string
		for _, r := range k.raised {
			low = append(low, r.name)
		}
		b.in.Notes = append(b.in.Notes, fmt.Sprintf("%s: %d of %d nodes held less at once, and are taken to be like the others: %s", of, n, g.Count, values.CompressHosts(low)))
	}
	if g.Cores == 0 {
		g.Cores = max(1, g.AllGPUs())
		b.in.Notes = append(b.in.Notes, fmt.Sprintf("%s: cores are unknown, as no job on these nodes (%d) has equal parts: here %d", of, g.Count, g.Cores))
	}
	g.Memory = b.holds(of, g.Cores, k.nodes)
	b.in.Layout.Groups = append(b.in.Layout.Groups, g)
}

// reached says how sure a size is.
func (b *builder) reached(of string, resource int, k *kind) {
	if k.size[resource] == 0 {
		return
	}
	e, at, alone := k.evidence(resource), 0, true
	for _, n := range k.nodes {
		if n.peaks[resource].value != e.value {
			continue
		}
		at++
		one := b.one.nodes[n.name]
		alone = alone && one != nil && one.peaks[resource].value == e.value
	}
	because := fmt.Sprintf("reached %s on %d of %s, in %s", text.Plural(e.times, "time"), at, text.Plural(len(k.nodes), "node"), text.Plural(len(e.ways), "way"))
	sure := AtLeast
	switch {
	case e.whole || alone && len(e.ways) > 2 && at == len(k.nodes):
		sure = Sure
	case len(e.ways) > 1:
		sure = Likely
	}
	if !alone {
		because += "; jobs on several nodes count with equal parts"
	}
	b.in.find(of, b.resources[resource], strconv.Itoa(e.value), sure, because)
}

// holds is the most memory that a node of a group held.
func (b *builder) holds(of string, cores int, nodes []*siteNode) int {
	most, low := 0, 0
	for _, n := range nodes {
		most = max(most, n.peaks[atMemory].value)
	}
	if most == 0 {
		return 0
	}
	for _, n := range nodes {
		if 2*n.peaks[atMemory].value < most {
			low++
		}
	}
	most = max(most, cores)
	b.in.find(of, memoryName, (workloads.Memory(most) * workloads.MiB).String(), AtLeast, fmt.Sprintf("the most on a node; %d of %d held less than half", low, len(nodes)))
	return most
}

// memory gives a group whose jobs tell none as much for each core as the group with the least.
func (b *builder) memory() {
	groups := b.in.Layout.Groups
	least := 0
	for _, g := range groups {
		if share := g.Memory / g.Cores; share > 0 && (least == 0 || share < least) {
			least = share
		}
	}
	if least == 0 {
		b.in.Notes = append(b.in.Notes, fmt.Sprintf("memory is unknown: none of %d jobs tells how much it held (AllocTRES)", len(b.jobs)))
		return
	}
	for i, g := range groups {
		if g.Memory == 0 {
			groups[i].Memory = least * g.Cores
			b.in.Notes = append(b.in.Notes, fmt.Sprintf("group %s: memory is unknown on %s: here %d MiB, as much for each core as the group with the least", g.Name, text.Plural(g.Count, "node"), groups[i].Memory))
		}
	}
}

// partition has the groups on whose nodes its jobs ran.
func (b *builder) partition(index int, p heldPartition, kinds []*kind, names []string) {
	var groups []string
	nodes, once := 0, 0
	for i, k := range kinds {
		in := false
		for _, n := range k.nodes {
			switch n.visits[index] {
			case 0:
				continue
			case 1:
				once++
			}
			in = true
		}
		if in {
			groups, nodes = append(groups, names[i]), nodes+len(k.nodes)
		}
	}
	if len(groups) == 0 {
		b.in.Notes = append(b.in.Notes, fmt.Sprintf("partition %.40q is left out: the nodes of its jobs (%d) are unknown", p.name, p.jobs))
		return
	}
	before := len(b.in.Layout.Partitions)
	b.in.partition(p, groups)
	if len(b.in.Layout.Partitions) == before {
		return
	}
	sure := Sure
	if once > 0 {
		sure = AtLeast
	}
	b.in.find("partition "+p.name, "nodes", strconv.Itoa(nodes), sure, fmt.Sprintf("%s had them; %d had one job alone", text.Plural(p.jobs, "job"), once))
}

// orphans are groups all of whose partitions have names that a machine file cannot have. They go to the default one.
func (b *builder) orphans() {
	var used []string
	for _, p := range b.in.Layout.Partitions {
		used = append(used, p.Groups...)
	}
	for i := range b.in.Layout.Partitions {
		p := &b.in.Layout.Partitions[i]
		if !p.Default {
			continue
		}
		for _, g := range b.in.Layout.Groups {
			if !slices.Contains(used, g.Name) {
				p.Groups = append(p.Groups, g.Name)
				b.in.Notes = append(b.in.Notes, fmt.Sprintf("group %s (%d nodes) is in no partition whose name is known: here it is in %s", g.Name, g.Count, p.Name))
			}
		}
	}
}

// gaps counts the numbers between the nodes of a pattern, of which no job tells.
func (b *builder) gaps(nodes []*siteNode) {
	type span struct{ first, last, count int }
	spans := map[string]*span{}
	for _, n := range nodes {
		word := strings.TrimRight(n.name, "0123456789")
		number, err := strconv.Atoi(n.name[len(word):])
		if err != nil {
			continue
		}
		s := spans[word]
		if s == nil {
			s = &span{first: number}
			spans[word] = s
		}
		s.first, s.last, s.count = min(s.first, number), max(s.last, number), s.count+1
	}
	missing := 0
	for _, s := range spans {
		missing += max(0, s.last-s.first+1-s.count)
	}
	if missing > 0 {
		b.in.Notes = append(b.in.Notes, fmt.Sprintf("gaps in the numbers of nodes, which no job had: %d; nodes with them are unknown", missing))
	}
}
