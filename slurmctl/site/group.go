package site

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// cluster makes groups of the nodes that are alike and in the same partitions.
func (r *reader) cluster() Cluster {
	r.takeDowns()
	r.noteGresTypes()
	r.takeGPUs()
	r.takeShared()
	r.members()
	r.openPartitions()
	groups := r.groups()
	c := Cluster{Name: r.name}
	name := layout.GroupNames()
	for _, g := range groups {
		group := g[0].group
		group.Name, group.Count = name(g[0].name), len(g)
		group.Hosts = values.CompressHosts(names(g))
		c.Layout.Groups = append(c.Layout.Groups, group)
	}
	if max(len(groups), len(r.partitions)) > layout.MaxGroups {
		// No layout has so many. What follows looks each group up in each partition.
		c.Layout.Partitions = make([]layout.Partition, len(r.partitions))
		return c
	}
	r.memory(c.Layout.Groups)
	for _, p := range r.partitions {
		for i, g := range groups {
			if p.hosts[g[0].name] {
				p.Groups = append(p.Groups, c.Layout.Groups[i].Name)
			}
		}
		if len(p.Groups) == 0 {
			r.note("partition %s is left out: it has no nodes", p.Name)
			continue
		}
		c.Layout.Partitions = append(c.Layout.Partitions, p.Partition)
	}
	r.defaultPartition(c.Layout.Partitions)
	c.Layout.Down = downs(groups)
	r.rules(&c.Layout)
	r.partitionSettings(&c.Layout)
	numbers := map[string]int{}
	for _, n := range slices.Concat(groups...) {
		numbers[n.name] = len(numbers) + 1
	}
	r.reservations(&c.Layout, numbers)
	r.network(&c, groups, numbers)
	c.Settings = r.scheduling(c)
	r.noteCores()
	r.noteRenamed()
	c.Notes = r.notes
	return c
}

func names(nodes []*node) []string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = n.name
	}
	return all
}

// openPartitions leaves out those that take no jobs. Without any partition all nodes are in one.
func (r *reader) openPartitions() {
	if len(r.partitions) == 0 {
		p := &sitePartition{Partition: layout.Partition{Name: "main", Default: true, PriorityTier: 1, PriorityJobFactor: 1}, hosts: map[string]bool{}}
		for _, n := range r.nodes.order {
			p.hosts[n.name] = true
		}
		r.partitions = []*sitePartition{p}
		r.note("no file has a partition: all nodes are in partition main")
	}
	r.partitions = slices.DeleteFunc(r.partitions, func(p *sitePartition) bool {
		if p.closed != "" {
			r.note("partition %s is left out: it takes no jobs (State=%s)", p.Name, p.closed)
		}
		return p.closed != ""
	})
}

// groups are the nodes by what they are, in the order of their first nodes.
func (r *reader) groups() [][]*node {
	byKey := map[string]int{}
	var groups [][]*node
	missing := map[string][]string{}
	partitions := map[string][]string{}
	for _, p := range r.partitions {
		for name := range p.hosts {
			partitions[name] = append(partitions[name], p.Name)
		}
	}
	for _, n := range r.nodes.order {
		in := partitions[n.name]
		switch {
		case n.absent != "":
			missing[n.absent] = append(missing[n.absent], n.name)
			continue
		case len(in) == 0:
			const why = "is in no partition that takes jobs"
			missing[why] = append(missing[why], n.name)
			continue
		}
		key := fmt.Sprintf("%+v %q", n.group, in)
		i, ok := byKey[key]
		if !ok {
			i = len(groups)
			byKey[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], n)
	}
	for _, why := range slices.Sorted(maps.Keys(missing)) {
		r.note("left out is %s, which %s", values.CompressHosts(missing[why]), why)
	}
	return groups
}

// memory is part of the layout if Slurm schedules it: with select/linear only if SelectTypeParameters says so (slurm.conf(5)). A node without RealMemory has 1 MiB
// (slurm.conf(5)), which is never meant.
func (r *reader) memory(groups []layout.Group) {
	selects := r.setting("SelectTypeParameters").value
	why := "SelectTypeParameters=" + selects
	if selects == "" && r.linear() {
		why = "SelectType=" + linear
	}
	unscheduled := (selects != "" || r.linear()) && !strings.Contains(strings.ToUpper(selects), "MEMORY")
	unknown := slices.ContainsFunc(groups, func(g layout.Group) bool { return !hasMemory(g) })
	switch {
	case unscheduled:
		r.note("memory is left out: %s does not schedule it", why)
	case unknown && slices.ContainsFunc(groups, hasMemory):
		r.missingMemory(groups)
		return
	case !unknown:
		return
	case len(r.settings) > 0:
		// The nodes are of a whole slurm.conf, and no part of one.
		r.note("memory is left out: no node has RealMemory, and Slurm then counts 1 MiB a node, all of which a job without --mem gets")
	}
	for i := range groups {
		groups[i].Memory = 0
	}
}

// hasMemory says that a file has the memory of a group's nodes.
func hasMemory(g layout.Group) bool { return g.Memory > 1 && g.Memory >= g.Cores }

// missingMemory gives the groups without memory the median of the other nodes, or the least.
func (r *reader) missingMemory(groups []layout.Group) {
	var known []int
	for _, g := range groups {
		if hasMemory(g) {
			known = append(known, slices.Repeat([]int{g.Memory}, g.Count)...)
		}
	}
	slices.Sort(known)
	for i, g := range groups {
		if hasMemory(g) {
			continue
		}
		amount, why := max(g.Cores, known[len(known)/2]), "the median of the other nodes"
		if r.least {
			amount, why = g.Cores, "1 for each core"
		}
		groups[i].Memory = amount
		r.note("%s has no RealMemory, or less than 1 MiB for each core: here it has %d MiB, %s", g.Hosts, amount, why)
	}
}

// defaultPartition makes one the default where the site has none, and jobs always name theirs.
func (r *reader) defaultPartition(partitions []layout.Partition) {
	if len(partitions) == 0 || slices.ContainsFunc(partitions, func(p layout.Partition) bool { return p.Default }) {
		return
	}
	partitions[0].Default = true
	r.note("no partition is the default one; here it is %s, the first", partitions[0].Name)
}

// downs returns the nodes that take no jobs, grouped by state and reason.
func downs(groups [][]*node) []layout.Down {
	var out []layout.Down
	numbers := map[layout.Down][]string{}
	number := 0
	for _, g := range groups {
		for _, n := range g {
			number++
			if n.down.State == "" {
				continue
			}
			if numbers[n.down] == nil {
				out = append(out, n.down)
			}
			numbers[n.down] = append(numbers[n.down], fmt.Sprintf("%s%d", layout.NodePrefix, number))
		}
	}
	for i, d := range out {
		out[i].Nodes = values.CompressHosts(numbers[d])
	}
	return out
}
