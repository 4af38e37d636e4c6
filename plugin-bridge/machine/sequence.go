package machine

import (
	"slices"
)

// Sequence plays starts through: Slurm starts jobs strictly one after the other and
// lays each out by the free cores that it finds then.
type Sequence struct {
	left []Node
	// most are the cores of each node that can become free while running jobs end:
	// all but those of jobs that are sure to start before.
	most []int
}

// NewSequence begins with what the nodes have free, which it does not change.
func NewSequence(nodes []Node) *Sequence {
	s := &Sequence{left: slices.Clone(nodes), most: make([]int, len(nodes))}
	for i := range nodes {
		s.most[i] = nodes[i].Cores
	}
	return s
}

// Left returns the nodes with what the starts so far leave free. They belong to the sequence: read them only.
func (s *Sequence) Left() []Node { return s.left }

// Take starts a job. One that is not sure to start may be held back at the last
// moment, and its cores be free then.
func (s *Sequence) Take(a Allocation, sure bool) {
	Take(s.left, a)
	if sure {
		for i, n := range a.Nodes {
			s.most[n] -= a.Cores[i]
		}
	}
}

// Place is what [Place] gives a request on the given nodes, by index, if its job
// starts next.
func (s *Sequence) Place(nodes []int, r Request) ([]int, error) { return Place(s.free(nodes, r), r) }

// Stable reports whether that layout stays the same when running jobs end before the
// start, see the function [Stable].
func (s *Sequence) Stable(nodes []int, r Request) bool {
	most := make([]int, len(nodes))
	for i, n := range nodes {
		most[i] = min(s.most[n], s.left[n].Most(r.MemoryPerCore))
	}
	return Stable(s.free(nodes, r), most, r)
}

func (s *Sequence) free(nodes []int, r Request) []int {
	free := make([]int, len(nodes))
	for i, n := range nodes {
		free[i] = s.left[n].Usable(r.MemoryPerCore)
	}
	return free
}
