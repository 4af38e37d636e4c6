package bidding

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// JobOptions are the options of a job beyond AUCSCHED Table 1. The zero value asks for nothing.
type JobOptions struct {
	// Partition is the partition whose nodes the job may use, "" for all nodes.
	Partition string
	// Features must all be on each node (--constraint=a&b), or one of them if OneFeature is set
	// (--constraint=a|b).
	Features   []string
	OneFeature bool `json:",omitempty"`
	// GPUType is the type of the job's GPUs (--gres=gpu:a100:2), "" for any.
	GPUType string `json:",omitempty"`
	// MostNodes is the most nodes that the job may have, MaxNodes of its partition; 0 for any.
	MostNodes int `json:",omitempty"`
	// Required nodes are among the job's (--nodelist), Excluded ones never
	// (--exclude). Both are indices into the nodes of the machine.
	Required, Excluded []int
	// Barred nodes, by index in ascending order, are those that Slurm's reservations keep from the job for now.
	Barred []int
	// Exclusive is --exclusive: the job takes its nodes whole, cores and GPUs,
	// however few it asks for.
	Exclusive bool
	// MemoryPerNode is --mem, MemoryPerCore --mem-per-cpu, in MiB; at most one
	// is set.
	MemoryPerNode, MemoryPerCore int
	// Switches is --switches: the most leaf switches that the job's nodes may be
	// connected to, 0 for any number. In a flat network it has no effect.
	Switches int
	// Licences are what the job holds while it runs.
	Licences machine.Licences
}

func (o JobOptions) faults() []error {
	var faults []error
	if o.MemoryPerNode < 0 || o.MemoryPerCore < 0 || o.MemoryPerNode > 0 && o.MemoryPerCore > 0 {
		faults = append(faults, fmt.Errorf("%d MiB per node and %d per core, allowed is one of them", o.MemoryPerNode, o.MemoryPerCore))
	}
	if o.MostNodes < 0 {
		faults = append(faults, fmt.Errorf("at most %d nodes, allowed is at least 1 or 0 (not given)", o.MostNodes))
	}
	if !slices.IsSorted(o.Barred) {
		faults = append(faults, fmt.Errorf("barred nodes %v, allowed is ascending order", o.Barred))
	}
	if o.Switches < 0 {
		faults = append(faults, fmt.Errorf("%d switches, allowed is at least 1 or 0 (not given)", o.Switches))
	}
	for _, n := range o.Required {
		if slices.Contains(o.Excluded, n) {
			faults = append(faults, fmt.Errorf("node %d is required and excluded", n))
		}
	}
	for _, l := range o.Licences {
		if l.Name == "" || l.Count < 1 {
			faults = append(faults, fmt.Errorf("%d licences %q, allowed is at least 1 with a name", l.Count, l.Name))
		}
	}
	return faults
}

// Admits reports whether partition, features, the type of GPUs, --exclude and reservations let the job
// use a node, by index, whatever is free there.
func (o JobOptions) Admits(index int, n machine.Node) bool {
	_, barred := slices.BinarySearch(o.Barred, index)
	return !barred && o.suits(index, n)
}

// suits is Admits without reservations.
func (o JobOptions) suits(index int, n machine.Node) bool {
	if o.Partition != "" && !slices.Contains(n.Partitions, o.Partition) || slices.Contains(o.Excluded, index) ||
		o.GPUType != "" && o.GPUType != n.GPUType {
		return false
	}
	has := func(f string) bool { return slices.Contains(n.Features, f) }
	if o.OneFeature {
		return slices.ContainsFunc(o.Features, has)
	}
	return !slices.ContainsFunc(o.Features, func(f string) bool { return !has(f) })
}

// TooMany reports whether the partition of the job does not allow it so many nodes.
func (o JobOptions) TooMany(nodes int) bool { return o.MostNodes > 0 && nodes > o.MostNodes }

// Key is equal for options of which Allows says the same, and empty for those that
// allow all nodes.
func (o JobOptions) Key() string {
	if o.Partition == "" && o.GPUType == "" && len(o.Features)+len(o.Excluded)+len(o.Barred) == 0 && !o.Exclusive && o.MemoryPerNode+o.MemoryPerCore == 0 {
		return ""
	}
	return fmt.Sprint(o.Partition, o.Features, o.OneFeature, o.GPUType, o.Excluded, o.Barred, o.Exclusive, o.MemoryPerNode, o.MemoryPerCore)
}

// Allows reports whether the options let the job take so many cores of a node, by
// index, as far as exclusive nodes and memory go beside what Admits looks at.
func (o JobOptions) Allows(index int, n machine.Node, cores int) bool {
	if o.Exclusive && !n.WhollyFree() || n.FreeMemory < o.MemoryPerNode+o.MemoryPerCore*cores {
		return false
	}
	return o.Admits(index, n)
}
