package bidding

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// JobOptions are the options of a job beyond those of AUCSCHED Table 1. The
// zero value asks for nothing.
type JobOptions struct {
	// Partition is the partition whose nodes the job may use, "" for all nodes.
	Partition string
	// Features must all be on each node (--constraint=a&b).
	Features []string
	// Required nodes are among the job's (--nodelist), Excluded ones never
	// (--exclude). Both are indices into the nodes of the machine.
	Required, Excluded []int
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

// Admits reports whether partition, features and --exclude let the job use a
// node, by index, whatever is free there.
func (o JobOptions) Admits(index int, n machine.Node) bool {
	if o.Partition != "" && !slices.Contains(n.Partitions, o.Partition) || slices.Contains(o.Excluded, index) {
		return false
	}
	return !slices.ContainsFunc(o.Features, func(f string) bool { return !slices.Contains(n.Features, f) })
}

// Key is equal for options of which Allows says the same, and empty for those that
// allow all nodes.
func (o JobOptions) Key() string {
	if o.Partition == "" && len(o.Features)+len(o.Excluded) == 0 && !o.Exclusive && o.MemoryPerNode+o.MemoryPerCore == 0 {
		return ""
	}
	return fmt.Sprint(o.Partition, o.Features, o.Excluded, o.Exclusive, o.MemoryPerNode, o.MemoryPerCore)
}

// Allows reports whether the options let the job take so many cores of a node, by
// index, as far as exclusive nodes and memory go beside what Admits looks at.
func (o JobOptions) Allows(index int, n machine.Node, cores int) bool {
	if o.Exclusive && !n.WhollyFree() || n.FreeMemory < o.MemoryPerNode+o.MemoryPerCore*cores {
		return false
	}
	return o.Admits(index, n)
}
