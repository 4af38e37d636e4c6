package slurmctl

import (
	"context"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Switch is a switch of a network topology (topology/tree), or a block (topology/block).
type Switch struct {
	Name string
	// Level is 0 for a leaf switch, to which nodes are connected, and for a block. Blocks that Slurm plans as one are above it.
	Level int
	// Nodes are the names of all nodes below it.
	Nodes []string
}

// Topology reads the switches, in Slurm's order: the leaves first. A cluster
// without a topology (topology/flat) has none.
func (c *Client) Topology(ctx context.Context) ([]Switch, error) {
	out, err := c.Run(ctx, nil, "scontrol", "-o", "show", "topology")
	if err != nil {
		return nil, err
	}
	return ParseTopology(out)
}

// ParseTopology reads the output of scontrol -o show topology
// (topology_p_topology_print in src/plugins/topology/tree/topology_tree.c, _print_topo_record in
// src/plugins/topology/block/topology_block.c), which is empty without a topology. Slurm prints aggregated blocks in the order of their
// levels, each level with a BlockSize of its own. A switch can have no nodes. The error is a *ParseError.
func ParseTopology(out []byte) ([]Switch, error) {
	var all []Switch
	line, level, size := 0, 0, 0
	for text := range strings.Lines(string(out)) {
		line++
		f := fields{source: "scontrol show topology", line: line, text: strings.TrimSuffix(text, "\n")}
		s, nodes := Switch{}, ""
		switch kind, _, _ := strings.Cut(text, "="); kind {
		case "BlockName", "AggregatedBlock":
			s.Name, nodes = f.first(kind), f.word("Nodes")
			n := f.count("BlockSize")
			if n != size && size > 0 {
				level++
			}
			s.Level, size = level, n
		default:
			s.Name, s.Level, nodes = f.first("SwitchName"), f.count("Level"), f.word("Nodes")
		}
		if f.err != nil {
			return nil, f.err
		}
		var err error
		if s.Nodes, err = values.ExpandHosts(nodes); err != nil {
			return nil, f.fail("Nodes", nodes, "a hostlist of at least one node")
		}
		all = append(all, s)
	}
	return all, nil
}
