package workloads

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// readLayout reads the keys of a machine file whose nodes differ. In the place of a hostlist may be the name of a group.
func readLayout(root *input.Mapping) layout.Layout {
	var l layout.Layout
	root.Read(&l)
	if _, there := root.Peek("partitions"); !there {
		// As on a machine whose nodes are equal.
		var all []string
		for _, g := range l.Groups {
			all = append(all, g.Name)
		}
		l.Partitions = []layout.Partition{mainPartition(all...)}
	}
	if len(l.Partitions) == 1 {
		l.Partitions[0].Default = true
	}
	for i := range l.Down {
		l.Down[i].Nodes = nodesNamed(l.Down[i].Nodes, l)
	}
	for i := range l.Reservations {
		l.Reservations[i].Nodes = nodesNamed(l.Reservations[i].Nodes, l)
	}
	return l
}

// nodesNamed is the hostlist of a group's nodes, or the text itself if it names no group.
func nodesNamed(text string, l layout.Layout) string {
	for i, g := range l.Groups {
		if g.Name == text {
			return l.NodesOf(i)
		}
	}
	return text
}

// setLayout sets the nodes of a machine.
func (m *Machine) setLayout(l layout.Layout) {
	m.Layout, m.Nodes = l, l.Nodes()
	m.Cores, m.GPUs = l.Most()
}

// WithLayout returns the machine with its equal nodes as one group in the partition main, or
// the machine itself if it has groups.
func (m Machine) WithLayout() Machine {
	if m.Unequal() {
		return m
	}
	g := layout.Group{Name: "all", Count: m.Nodes, Sockets: 1, Cores: m.Cores, Threads: 1, Weight: 1}
	if m.GPUs > 0 {
		g.GPUs = []layout.GPU{{Count: m.GPUs}}
	}
	m.Layout = layout.Layout{Groups: []layout.Group{g}, Partitions: []layout.Partition{mainPartition(g.Name)}}
	return m
}

// mainPartition is the partition of a machine that names none.
func mainPartition(groups ...string) layout.Partition {
	return layout.Partition{Name: "main", Groups: groups, Default: true, PriorityTier: 1, PriorityJobFactor: 1}
}

// layoutFaults returns faults of the layout, and numbers that contradict it, as they can in run.json.
func (m Machine) layoutFaults() []faults.Fault {
	out := m.Layout.Faults()
	cores, gpus := m.Layout.Most()
	if len(out) == 0 && (m.Nodes != m.Layout.Nodes() || m.Cores != cores || m.GPUs != gpus) {
		out = append(out, faults.At("nodes", fmt.Sprintf("got nodes=%d, cores=%d and gpus=%d", m.Nodes, m.Cores, m.GPUs),
			fmt.Sprintf("%d, %d and %d as in groups", m.Layout.Nodes(), cores, gpus)))
	}
	return out
}

// Unequal says that the nodes differ.
func (m Machine) Unequal() bool { return !m.Layout.IsZero() }

// CheckEqual is an error on a machine with groups of nodes; what needs equal nodes.
func (m Machine) CheckEqual(what string) error {
	if !m.Unequal() {
		return nil
	}
	return fmt.Errorf("machine: %s needs equal nodes, and %s has groups of nodes", what, m.Name)
}

// Equal says whether two machines are the same.
func (m Machine) Equal(other Machine) bool { return reflect.DeepEqual(m, other) }

// AllCores is the number of cores of the whole machine, without nodes that are out of
// service.
func (m Machine) AllCores() int {
	n := 0
	for _, k := range m.NodeKinds() {
		n += k.Count * k.Cores
	}
	return n
}

// AllCPUs is the number of Slurm's CPUs, which are threads where nodes have several for a core, as AllCores.
func (m Machine) AllCPUs() int {
	n := 0
	for _, k := range m.NodeKinds() {
		threads := 1
		if k.Group < len(m.Layout.Groups) {
			threads = max(1, m.Layout.Groups[k.Group].Threads)
		}
		n += k.Count * k.Cores * threads
	}
	return n
}

// AllGPUs is the number of GPUs of the whole machine, as AllCores.
func (m Machine) AllGPUs() int {
	n := 0
	for _, k := range m.NodeKinds() {
		n += k.Count * k.GPUs
	}
	return n
}

// NodeKind is a number of equal nodes that are in service.
type NodeKind struct {
	// Group is the index of their group, 0 on a machine without groups.
	Group              int
	Count, Cores, GPUs int
}

// NodeKinds are the nodes in service, in the order of their numbers; kinds of which none is
// in service are left out.
func (m Machine) NodeKinds() []NodeKind {
	if !m.Unequal() {
		return []NodeKind{{Count: m.Nodes, Cores: m.Cores, GPUs: m.GPUs}}
	}
	var kinds []NodeKind
	for i, n := range m.Layout.InService() {
		if n > 0 {
			g := m.Layout.Groups[i]
			kinds = append(kinds, NodeKind{Group: i, Count: n, Cores: g.Cores, GPUs: g.AllGPUs()})
		}
	}
	return kinds
}

// NodeSize is what a node has for jobs.
type NodeSize struct{ Cores, GPUs int }

// Sizes returns the size of each node. A node that is out of service has nothing.
func (m Machine) Sizes() []NodeSize {
	sizes := make([]NodeSize, m.Nodes)
	for i := range sizes {
		sizes[i] = NodeSize{m.Cores, m.GPUs}
	}
	if !m.Unequal() {
		return sizes
	}
	down := m.Layout.OutOfService()
	for i, g := range m.Layout.GroupOf() {
		group := m.Layout.Groups[g]
		sizes[i] = NodeSize{group.Cores, group.AllGPUs()}
		if down[i] {
			sizes[i] = NodeSize{}
		}
	}
	return sizes
}

// Distinctions say what a machine has that Options can ask for.
type Distinctions struct{ Partitions, Memory, Features, GPUTypes bool }

// Has says what tells the machine's nodes apart, or could: partitions that its file names,
// memory that is scheduled, features, and types of GPUs.
func (m Machine) Has() Distinctions {
	if !m.Unequal() {
		return Distinctions{}
	}
	l := m.Layout
	return Distinctions{
		Partitions: len(l.Partitions) > 1 || l.Partitions[0].Name != mainPartition().Name,
		Memory:     l.MemoryPerCore() > 0,
		Features:   slices.ContainsFunc(l.Groups, func(g layout.Group) bool { return len(g.Features) > 0 }),
		GPUTypes:   len(l.GPUTypes()) > 0,
	}
}

// Size is the machine in words: "4 nodes of 8 cores and 2 GPUs", and so for each group.
func (m Machine) Size() string {
	if !m.Unequal() {
		return fmt.Sprintf("%d nodes of %d cores and %d GPUs", m.Nodes, m.Cores, m.GPUs)
	}
	var parts []string
	for _, g := range m.Layout.Groups {
		parts = append(parts, fmt.Sprintf("%d of %d cores and %d GPUs", g.Count, g.Cores, g.AllGPUs()))
	}
	return fmt.Sprintf("%d nodes: %s", m.Nodes, strings.Join(parts, ", "))
}

// Hosts are the nodes in service that a job may have, with the cores of each for it, those with most cores first.
// They are in one of its partitions and have the GPUs, the memory and the features that it asks for. A node in several of
// them has the cores that the most generous one lets the job have.
func (m Machine) Hosts(j Job) []NodeKind {
	names := j.Partitions()
	if len(names) < 2 {
		return m.hostsWithin(j)
	}
	var hosts []NodeKind
	for _, name := range names {
		for _, k := range m.hostsWithin(j.within(m, name)) {
			at := slices.IndexFunc(hosts, func(h NodeKind) bool { return h.Group == k.Group })
			if at < 0 {
				hosts = append(hosts, k)
				continue
			}
			hosts[at].Cores = max(hosts[at].Cores, k.Cores)
		}
	}
	slices.SortFunc(hosts, func(a, b NodeKind) int { return cmp.Or(b.Cores-a.Cores, a.Group-b.Group) })
	return hosts
}

// hostsWithin are Hosts of a job that names at most one partition.
func (m Machine) hostsWithin(j Job) []NodeKind {
	var hosts []NodeKind
	partition, _ := m.Layout.Find(j.Partition)
	for _, k := range m.NodeKinds() {
		if k.GPUs < j.GPUsMin {
			continue
		}
		if m.Unequal() {
			g := m.Layout.Groups[k.Group]
			cores, ok := j.mayHave(g)
			if !ok || !slices.Contains(partition.Groups, g.Name) {
				continue
			}
			if most := partition.MaxCPUsPerNode(); most > 0 {
				cores = min(cores, most)
			}
			k.Cores = cores
		}
		if j.CoresPerNode > 0 {
			if m.Unequal() && k.Cores < j.CoresPerNode {
				continue
			}
			k.Cores = min(k.Cores, j.CoresPerNode)
		}
		hosts = append(hosts, k)
	}
	slices.SortStableFunc(hosts, func(a, b NodeKind) int { return b.Cores - a.Cores })
	return hosts
}

// layoutMisfits says why no node of the job's partition can take it, or too few can.
func (j Job) layoutMisfits(m Machine) []faults.Fault {
	if out := j.optionMisfits(m); len(out) > 0 {
		return out
	}
	partition, _ := m.Layout.Find(j.Partition)
	in := fmt.Sprintf("in service in partition %s of machine %s", partition.Name, m.Name)
	var out []faults.Fault
	if partition.MaxTime > 0 && j.Limit > partition.MaxTime*60 {
		out = append(out, faults.At("limit_s", faults.Got(j.Limit), fmt.Sprintf("1..%d (max_time of partition %s)", partition.MaxTime*60, partition.Name)))
	}
	if partition.MaxNodes > 0 && j.Nodes > partition.MaxNodes {
		out = append(out, faults.At("nodes", faults.Got(j.Nodes), fmt.Sprintf("0..%d (max_nodes of partition %s)", partition.MaxNodes, partition.Name)))
	}
	out = append(out, j.settingMisfits(m, partition)...)
	out = append(out, j.nodeListMisfits(m)...)
	most := m.Nodes
	if partition.MaxNodes > 0 {
		most = partition.MaxNodes
	}
	if j.Nodes > 0 {
		most = j.MostNodes()
	}
	hosts := m.Hosts(j)
	nodes, cores := 0, 0
	for _, h := range hosts {
		n := min(h.Count, most-nodes)
		nodes, cores = nodes+n, cores+n*h.Cores
	}
	asks := "nodes"
	if j.CoresPerNode > 0 {
		asks += " with cores_per_node=" + strconv.Itoa(j.CoresPerNode)
	}
	if j.GPUsMax > 0 {
		asks += " with gpus_min=" + strconv.Itoa(j.GPUsMin)
	}
	for _, asked := range j.askedOptions() {
		if asked.Name != "partition" {
			asks += " with " + asked.Name + "=" + asked.Value
		}
	}
	switch {
	case len(hosts) == 0:
		out = append(out, faults.At("nodes", "got "+asks, "those that are "+in+": there is none"))
	case nodes < j.Nodes:
		out = append(out, faults.At("nodes", fmt.Sprintf("got %d %s", j.Nodes, asks), fmt.Sprintf("up to %d, the number %s", nodes, in)))
	case cores < j.Cores:
		out = append(out, faults.At("cores", faults.Got(j.Cores), fmt.Sprintf("up to %d (of at most %d %s that are %s)", cores, nodes, asks, in)))
	}
	return out
}

// MachineOf is a machine of the nodes of a layout.
func MachineOf(name string, l layout.Layout, switches Tree) (Machine, error) {
	m := Machine{Name: name, Switches: switches}
	m.setLayout(l)
	return m, m.check()
}

// WithBlocks is the machine with other blocks.
func (m Machine) WithBlocks(b Blocks) (Machine, error) {
	m.Blocks = b
	return m, m.check()
}
