package workloads

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Blocks are those of topology/block: neighbouring nodes with a fast network, of which Slurm gives a job as few as possible. The zero value is
// for none.
type Blocks struct {
	// Nodes is the number of nodes of each block; the last may have fewer.
	Nodes int `json:"nodes,omitempty" about:"nodes of each block, neighbours of each other; the last block may have fewer" range:"1..{MaxNodes}"`
	// Each are the numbers of nodes of the blocks, in their order, where they differ.
	Each []int `json:"each,omitempty" about:"list of the nodes of the blocks, in the place of 'nodes': '[18, 18, 17]'"`
	// Sizes is BlockSizes of topology.conf(5).
	Sizes []int `json:"sizes,omitempty" about:"list of the sizes, in nodes, with which Slurm plans (BlockSizes): the smallest block, and two, four, eight, ... times as many nodes for neighbouring blocks that jobs get together; 1, 2, 4, 8 and 16 blocks without it"`
}

// None says that the machine has no blocks.
func (b Blocks) None() bool { return b.Nodes == 0 && len(b.Each) == 0 }

// BlocksOf are blocks of so many nodes, in their order.
func BlocksOf(nodes, sizes []int) Blocks {
	if len(nodes) == 0 {
		return Blocks{}
	}
	for i, n := range nodes {
		if n != nodes[0] && (i < len(nodes)-1 || n > nodes[0]) {
			return Blocks{Each: nodes, Sizes: sizes}
		}
	}
	return Blocks{Nodes: nodes[0], Sizes: sizes}
}

func (b Blocks) isZero() bool { return b.None() && len(b.Sizes) == 0 }

// WithNodes has count more nodes at the end, in blocks of as many nodes as the one of the node with the number like.
func (b Blocks) WithNodes(like, count int) Blocks {
	b.Each = slices.Clone(b.Each)
	last := 0
	for _, size := range b.Each {
		if last += size; like <= last {
			for ; count > 0; count -= size {
				b.Each = append(b.Each, min(size, count))
			}
			return b
		}
	}
	return b
}

// Of are the numbers of nodes of the blocks of a machine with that many nodes, in their order.
func (b Blocks) Of(nodes int) []int {
	if len(b.Each) > 0 || b.Nodes == 0 {
		return b.Each
	}
	var all []int
	for first := 0; first < nodes; first += b.Nodes {
		all = append(all, min(b.Nodes, nodes-first))
	}
	return all
}

// holds says whether so many nodes of a job fit into the blocks of a machine. Slurm puts the nodes of a job, or of each of its segments, into
// blocks that it plans as one: the fewest that have so many nodes (eval_nodes_block in src/plugins/topology/block/eval_nodes_block.c).
func (b Blocks) holds(machine, nodes, segment int) bool {
	if segment == 0 || segment > nodes {
		segment = nodes
	}
	blocks := b.Of(machine)
	base, factors := blocks[0], []int{1, 2, 4, 8, 16}
	if len(b.Sizes) > 0 {
		base, factors = b.Sizes[0], nil
		for _, size := range b.Sizes {
			factors = append(factors, size/base)
		}
		slices.Sort(factors)
	}
	// Without such a size it is the whole machine.
	together := len(blocks)
	if i := slices.IndexFunc(factors, func(f int) bool { return f*base >= segment }); i >= 0 {
		together = factors[i]
	}
	room := 0
	for part := range slices.Chunk(blocks, together) {
		sum := 0
		for _, n := range part {
			sum += n
		}
		room += sum / segment
	}
	return room*segment >= nodes
}

func (b Blocks) faults(nodes int) []faults.Fault {
	var out []faults.Fault
	switch {
	case len(b.Each) == 0:
		out = faults.Outside("blocks.nodes", b.Nodes, 1, maxNodes)
	case b.Nodes != 0:
		out = append(out, faults.At("blocks.nodes", faults.Got(b.Nodes), "none beside blocks.each, which has the nodes of each block"))
	default:
		sum := 0
		for i, n := range b.Each {
			out = append(out, faults.Outside(fmt.Sprintf("blocks.each[%d]", i), n, 1, maxNodes)...)
			sum += n
		}
		if sum != nodes && len(out) == 0 {
			out = append(out, faults.At("blocks.each", fmt.Sprintf("got %d nodes in all", sum), fmt.Sprintf("%d, all nodes of the machine", nodes)))
		}
	}
	if !layout.AreBlockSizes(b.Sizes) {
		out = append(out, faults.At("blocks.sizes", faults.Got(fmt.Sprint(b.Sizes)), layout.BlockSizesRule))
	}
	return out
}

// coresOfBlock are the most cores in service of a block that Slurm plans with.
func (m Machine) coresOfBlock() int {
	most, first := 0, 0
	sizes := m.Sizes()
	for _, nodes := range m.Blocks.Of(m.Nodes) {
		sum := 0
		for _, size := range sizes[first : first+nodes] {
			sum += size.Cores
		}
		most, first = max(most, sum), first+nodes
	}
	return most
}

// HasSegments says whether the job has a segment that sbatch takes, and that fits into the blocks of the machine.
func (j Job) HasSegments(m Machine) bool {
	return j.Segment > 0 && !m.Blocks.None() && len(j.segmentFaults()) == 0 && m.Blocks.holds(m.Nodes, j.Nodes, j.Segment)
}

// blockMisfits says why the job can never have its nodes in blocks, or asks for segments of them where there are none. topology/tree and
// topology/flat ignore --segment, which sbatch takes nevertheless.
func (j Job) blockMisfits(m Machine) []faults.Fault {
	switch {
	case m.Blocks.None() && j.Segment > 0:
		return []faults.Fault{faults.At("segment", faults.Got(j.Segment), "0: machine "+m.Name+" has no blocks, without which Slurm ignores it")}
	case m.Blocks.None():
		return nil
	case j.Nodes == 0:
		if most := m.coresOfBlock(); j.Cores > most {
			return []faults.Fault{faults.At("cores", faults.Got(j.Cores), fmt.Sprintf("up to %d without nodes, the cores of a block of machine %s: Slurm takes such a job for one of a single node", most, m.Name))}
		}
		return nil
	case j.Nodes > m.Nodes || m.Blocks.holds(m.Nodes, j.Nodes, j.Segment):
		return nil
	case j.Segment > 0 && j.Segment < j.Nodes:
		return []faults.Fault{faults.At("segment", faults.Got(j.Segment), fmt.Sprintf("one that fits into the blocks of machine %s %d times", m.Name, j.Nodes/j.Segment))}
	}
	return []faults.Fault{faults.At("nodes", faults.Got(j.Nodes), "as many as neighbouring blocks of machine "+m.Name+" have that Slurm plans as one")}
}
