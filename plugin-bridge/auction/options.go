package auction

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// JobOptions are the options of a job beyond those of AUCSCHED Table 1. The
// zero value asks for nothing.
type JobOptions struct {
	// Partition is the partition whose nodes the job may use, "" for all nodes.
	Partition string
	// Features must all be on each node (--constraint=a&b).
	Features []string
	// Required nodes are among the job's (--nodelist), Excluded ones never
	// (--exclude). Both are indices into Snapshot.Nodes.
	Required, Excluded []int
	// Exclusive is --exclusive: the job takes its nodes whole, cores and GPUs,
	// however few it asks for.
	Exclusive bool
	// MemoryPerNode is --mem, MemoryPerCore --mem-per-cpu, in MiB; at most one
	// is set.
	MemoryPerNode, MemoryPerCore int
	// Switches is --switches: the most leaf switches that the job's nodes may be
	// connected to, 0 for any number. It means nothing in a flat network.
	Switches int
	// Licences are what the job holds while it runs.
	Licences []Licence
}

// Licence is a number of licences of one name.
type Licence struct {
	Name  string
	Count int
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
func (o JobOptions) Admits(index int, n nodeset.Node) bool {
	if o.Partition != "" && !slices.Contains(n.Partitions, o.Partition) || slices.Contains(o.Excluded, index) {
		return false
	}
	return !slices.ContainsFunc(o.Features, func(f string) bool { return !slices.Contains(n.Features, f) })
}

// free returns how many licences of a name the list has.
func free(licences []Licence, name string) int {
	n := 0
	for _, l := range licences {
		if l.Name == name {
			n += l.Count
		}
	}
	return n
}

// Covers reports whether the list has all the licences wanted. A licence that is
// not in it has none free.
func Covers(licences, wanted []Licence) bool {
	return !slices.ContainsFunc(wanted, func(l Licence) bool { return free(licences, l.Name) < free(wanted, l.Name) })
}

// rule says which nodes the options of a job allow. Rules with equal keys
// allow the same.
type rule struct {
	options JobOptions
	// key is empty for a rule that allows all nodes.
	key string
}

// newRule returns the rule of the options. Required nodes and licences are no
// part of it: they choose among spots, not among nodes.
func newRule(o JobOptions) rule {
	r := rule{options: o}
	if o.Partition != "" || len(o.Features)+len(o.Excluded) > 0 || o.Exclusive || o.MemoryPerNode+o.MemoryPerCore > 0 {
		r.key = fmt.Sprint(o.Partition, o.Features, o.Excluded, o.Exclusive, o.MemoryPerNode, o.MemoryPerCore)
	}
	return r
}

// allows reports whether the job may take the given number of cores from a
// node, as far as the options go.
func (r rule) allows(index int, n nodeset.Node, cores int) bool {
	o := r.options
	if o.Exclusive && (n.FreeCores < n.Cores || n.FreeGPUs < n.GPUs) || n.FreeMemory < o.MemoryPerNode+o.MemoryPerCore*cores {
		return false
	}
	return o.Admits(index, n)
}

// sets returns the nodesets that can hold the shape.
func (r rule) sets(nodes []nodeset.Node, sh shape) []nodeset.Set {
	return nodeset.SetsWhere(nodes, sh.need, sh.gpus, func(i int) bool {
		n := &nodes[i]
		return (!sh.idle || n.FreeCores == n.Cores) && (r.key == "" || r.allows(i, *n, sh.need))
	})
}
