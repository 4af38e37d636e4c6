package bidding

import (
	"fmt"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// rule says which nodes the options of a job allow. Jobs whose rules have equal
// keys may use the same nodes, so that these are computed once for all of them.
type rule struct {
	options JobOptions
	// key is empty for a rule that allows all nodes.
	key string
}

// newRule returns the rule of the options. Required nodes (--nodelist) and licences
// are no part of it: a job with required nodes may use any others beside them, and
// licences lie on no node.
func newRule(o JobOptions) rule {
	r := rule{options: o}
	if o.Partition != "" || len(o.Features)+len(o.Excluded) > 0 || o.Exclusive || o.MemoryPerNode+o.MemoryPerCore > 0 {
		r.key = fmt.Sprint(o.Partition, o.Features, o.Excluded, o.Exclusive, o.MemoryPerNode, o.MemoryPerCore)
	}
	return r
}

// allows reports whether the options let the job take the given number of cores
// from a node with that much free.
func (r rule) allows(index int, n machine.Node, cores int) bool {
	o := r.options
	if o.Exclusive && !n.WhollyFree() || n.FreeMemory < o.MemoryPerNode+o.MemoryPerCore*cores {
		return false
	}
	return o.Admits(index, n)
}

// sets returns the nodesets that can hold the shape.
func (r rule) sets(nodes []machine.Node, sh shape) []machine.Nodeset {
	return machine.NodesetsWhere(nodes, sh.need, sh.gpus, func(i int) bool {
		n := &nodes[i]
		return (!sh.idle || n.FreeCores == n.Cores) && (r.key == "" || r.allows(i, *n, sh.need))
	})
}
