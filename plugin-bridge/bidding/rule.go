package bidding

import "github.com/slurmlab/slurmlab/plugin-bridge/machine"

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
func newRule(o JobOptions) rule { return rule{options: o, key: o.Key()} }

// sets returns the nodesets that can hold the shape.
func (r rule) sets(nodes []machine.Node, sh shape) []machine.Nodeset {
	return machine.NodesetsWhere(nodes, sh.need, sh.gpus, func(i int) bool {
		n := &nodes[i]
		return n.Weight <= sh.weight && (!sh.idle || n.Usable(r.options.MemoryPerCore) == n.Most(r.options.MemoryPerCore)) && (r.key == "" || r.options.Allows(i, *n, sh.need))
	})
}
