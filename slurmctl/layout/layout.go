package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// NodePrefix stands before the number of a node in its name.
const NodePrefix = "n"

// Layout is what the nodes of a cluster are.
type Layout struct {
	Groups []Group `json:"groups" about:"list of [groups](#an-entry-of-groups), whose nodes are numbered in this order" need:"yes" range:"1..{MaxGroups}"`
	// Partitions of the cluster. A node may be in several.
	Partitions []Partition `json:"partitions" about:"list of [partitions](#an-entry-of-partitions); 'main' with all groups without it" range:"1..{MaxGroups}"`
	// Down are the nodes that take no jobs from the start on.
	Down []Down `json:"down_nodes,omitempty" about:"list of [nodes out of service](#an-entry-of-down_nodes)"`
	// QOS and Accounts are in the accounting from the boot on, beside NormalQOS and RootAccount, which each cluster
	// has.
	QOS      []QOS     `json:"qos,omitempty" about:"list of [QOS](#an-entry-of-qos) beside 'normal', which each cluster has"`
	Accounts []Account `json:"accounts,omitempty" about:"list of [accounts](#an-entry-of-accounts), a parent before its children"`
	// Licenses belong to the cluster, Weights to its priorities.
	Licenses []License `json:"licenses,omitempty" about:"licences of the cluster with their numbers: '{matlab: 10}'" as:"licenses" range:"1..{MaxLicenses}"`
	Weights  Weights   `json:"priority_weights,omitzero" about:"[weights](#priority_weights) of QOS and fair share"`
	// Reservations are made before the first job.
	Reservations []Reservation `json:"reservations,omitempty" about:"list of [reservations](#an-entry-of-reservations)"`
	// JobSubmit is the text of the site's job_submit.lua, "" for none (JobSubmitPlugins of slurm.conf(5)).
	JobSubmit string `json:"job_submit,omitempty" about:"text of [the site's job_submit.lua](../machines.md#the-sites-job_submitlua)" write:"block" range:"0..{MaxScript}"`
}

// Group is a number of equal nodes.
type Group struct {
	Name  string `json:"name" about:"{Word}" need:"yes" of:"word"`
	Count int    `json:"count" about:"number of nodes, 1 to {MaxNodes} over all groups" need:"yes" range:"1..{MaxNodes}"`
	// Sockets share the Cores of a node, which have Threads each. Jobs get whole cores.
	Sockets int `json:"sockets" about:"sockets of a node, which divide its cores" default:"1" after:"cores" range:"1..{MaxSockets}"`
	Cores   int `json:"cores" about:"cores of a node over all its sockets, 1 to {MaxCores}" need:"yes" range:"1..{MaxCores}"`
	Threads int `json:"threads" about:"threads of a core, 1 to {MaxThreads}; jobs get whole cores" default:"1" range:"1..{MaxThreads}"`
	// Memory is RealMemory, in MiB, 0 if memory is not scheduled.
	Memory int   `json:"memory_mib,omitempty" yaml:"memory" as:"MiB" about:"memory of a node with its unit, such as '64GiB'; for all groups or for none"`
	GPUs   []GPU `json:"gpus,omitempty" about:"GPUs of a node, up to {MaxGPUs}, as a number or by type: '{a100: 4}'; none without it" as:"gpus"`
	// Shards are gres/shard of a node, MPS is gres/mps; a node has at most one of them, and its GPUs divide it (PerGPU).
	Shards int `json:"shards,omitempty" about:"shards (gres/shard) of a node, which its GPUs divide: 8 on 2 GPUs are 4 of each" default:"0" range:"0..{MaxShared}"`
	MPS    int `json:"mps,omitempty" about:"gres/mps of a node, which its GPUs divide; 'mps' or 'shards'" default:"0" range:"0..{MaxShared}"`
	// Features are what sbatch --constraint asks for.
	Features []string `json:"features,omitempty" about:"list of words that '--constraint' of sbatch names" of:"word"`
	// Weight is slurm.conf's: nodes of lower weight are taken first.
	Weight int `json:"weight" about:"Slurm takes nodes of lower weight first" default:"1" range:"0..{MaxWeight}"`
	// Hosts are the names that the nodes have at their site, in their order, a hostlist; empty where nobody said.
	Hosts string `json:"hosts,omitempty" about:"the names that the nodes have at their site, in their order, such as cn[001-040]" write:"quoted"`
}

// GPU is how many GPUs of a type a node has; Type is empty for GPUs without one.
type GPU struct {
	Type  string `json:"type,omitempty"`
	Count int    `json:"count"`
}

// The states of Down.
const (
	StateDrain = "drain"
	StateDown  = "down"
)

// Down are nodes that take no jobs, and why.
type Down struct {
	// Nodes is a hostlist, such as n[3-4,8].
	Nodes  string `json:"nodes" about:"name of a group, or nodes such as 'n[3-4,8]'" need:"yes" write:"quoted"`
	State  string `json:"state" about:"'drain' or 'down'" default:"drain" write:"always" of:"drain, down"`
	Reason string `json:"reason" about:"what sinfo -R shows" default:"out of service" write:"quoted"`
}

// IsZero says that all nodes are equal.
func (l Layout) IsZero() bool {
	return len(l.Groups) == 0 && len(l.Partitions) == 0 && len(l.Down) == 0
}

// Nodes is the number of nodes.
func (l Layout) Nodes() int {
	n := 0
	for _, g := range l.Groups {
		n += g.Count
	}
	return n
}

// AllGPUs is the number of GPUs of a node, of all types.
func (g Group) AllGPUs() int {
	n := 0
	for _, gpu := range g.GPUs {
		n += gpu.Count
	}
	return n
}

// OfType is the number of GPUs of a node that a job may have that names the type, or none.
func (g Group) OfType(name string) int {
	if name == "" {
		return g.AllGPUs()
	}
	for _, gpu := range g.GPUs {
		if gpu.Type == name {
			return gpu.Count
		}
	}
	return 0
}

// PerGPU are the parts of a node's shards, or of its MPS, that its GPUs have. As Slurm divides them, each GPU gets its part of what is left,
// rounded down (_distribute_count in src/plugins/gres/common/gres_c_s.c): 7 shards on 2 GPUs are 3 and 4.
func (g Group) PerGPU(count int) []int {
	parts := make([]int, g.AllGPUs())
	for i := range parts {
		parts[i] = count / (len(parts) - i)
		count -= parts[i]
	}
	return parts
}

// MostOfOneGPU is the largest part of a node's shards, or of its MPS, that one GPU has. A job gets no more on a node: "By default, job requests
// for shards are required to fit on a single gpu on each node" (Slurm's gres.html, "Sharding"; the same for MPS).
func (g Group) MostOfOneGPU(count int) int {
	if count == 0 {
		return 0
	}
	return slices.Max(g.PerGPU(count))
}

// Shares says whether nodes have shards, and whether they have MPS.
func (l Layout) Shares() (shards, mps bool) {
	for _, g := range l.Groups {
		shards, mps = shards || g.Shards > 0, mps || g.MPS > 0
	}
	return shards, mps
}

// GroupNames returns a function from the first node of each group to the group's name: what the names of its nodes
// begin with, and a number for a further group. It counts by the word, as a search among the names before would take
// cubic time where each node is a group of its own.
func GroupNames() func(node string) string {
	taken, last := map[string]bool{}, map[string]int{}
	return func(node string) string {
		word := strings.TrimRight(strings.TrimRight(node, "0123456789"), "-_.")
		if !IsWord(word) || len(word) > 24 {
			word = "nodes"
		}
		name := word
		for taken[name] {
			last[word] = max(2, last[word]+1)
			name = fmt.Sprintf("%s-%d", word, last[word])
		}
		taken[name] = true
		return name
	}
}

// Most are the most cores and the most GPUs of a node; no node need have both.
func (l Layout) Most() (cores, gpus int) {
	for _, g := range l.Groups {
		cores, gpus = max(cores, g.Cores), max(gpus, g.AllGPUs())
	}
	return cores, gpus
}

// First is the number of a group's first node, from 1.
func (l Layout) First(group int) int {
	first := 1
	for _, g := range l.Groups[:group] {
		first += g.Count
	}
	return first
}

// NodesOf is the hostlist of a group, such as n[1-4].
func (l Layout) NodesOf(group int) string {
	first, count := l.First(group), l.Groups[group].Count
	return fmt.Sprintf("%s[%d-%d]", NodePrefix, first, first+count-1)
}

// Sites are the 0-based numbers of the nodes by their names at their site (Group.Hosts), empty where nobody said these.
func (l Layout) Sites() map[string]int {
	known := map[string]int{}
	for i, g := range l.Groups {
		// A layout without Faults has no faulty list.
		names, _ := values.ExpandHosts(g.Hosts)
		for j, name := range names {
			known[name] = l.First(i) - 1 + j
		}
	}
	return known
}

// SiteNames are the names of the nodes at their site, nil where nobody said one. A node without one, as an added one, has its own.
func (l Layout) SiteNames() []string {
	if len(l.Sites()) == 0 {
		return nil
	}
	all := make([]string, l.Nodes())
	for i := range all {
		all[i] = fmt.Sprintf("%s%d", NodePrefix, i+1)
	}
	for name, at := range l.Sites() {
		all[at] = name
	}
	return all
}

// GroupOf is the group of each node.
func (l Layout) GroupOf() []int {
	of := make([]int, 0, l.Nodes())
	for i, g := range l.Groups {
		for range g.Count {
			of = append(of, i)
		}
	}
	return of
}

// InService is the number of nodes of each group that take jobs from the start on.
func (l Layout) InService() []int {
	count := make([]int, len(l.Groups))
	for i, g := range l.Groups {
		count[i] = g.Count
	}
	for _, d := range l.Down {
		group, end := 0, l.Groups[0].Count
		for _, n := range d.numbers() {
			for n > end {
				group++
				end += l.Groups[group].Count
			}
			count[group]--
		}
	}
	return count
}

// OutOfService says of each node whether it takes no jobs.
func (l Layout) OutOfService() []bool {
	out := make([]bool, l.Nodes())
	for _, d := range l.Down {
		for _, n := range d.numbers() {
			out[n-1] = true
		}
	}
	return out
}

// numbers returns the numbers of the nodes, from 1 and ascending. A layout without Faults has readable lists.
func (d Down) numbers() []int {
	numbers, _ := values.HostNumbers(d.Nodes, NodePrefix)
	return numbers
}

// Find is the partition with a name, the default one for "".
func (l Layout) Find(name string) (Partition, bool) {
	i := slices.IndexFunc(l.Partitions, func(p Partition) bool { return p.Name == name || name == "" && p.Default })
	if i < 0 {
		return Partition{}, false
	}
	return l.Partitions[i], true
}

// GPUTypes are the names of the types of GPUs, in the order of the groups.
func (l Layout) GPUTypes() []string {
	var names []string
	for _, g := range l.Groups {
		for _, gpu := range g.GPUs {
			if gpu.Type != "" && !slices.Contains(names, gpu.Type) {
				names = append(names, gpu.Type)
			}
		}
	}
	return names
}

// MemoryPerCore is what a job gets that asks for no memory, in MiB for each core: what the
// node with the least memory for each core has. 0 if memory is not scheduled.
func (l Layout) MemoryPerCore() int {
	least := 0
	for i, g := range l.Groups {
		if share := g.Memory / g.Cores; i == 0 || share < least {
			least = share
		}
	}
	return least
}
