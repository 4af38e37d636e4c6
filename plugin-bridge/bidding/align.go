package bidding

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// aligner finds the spots of one shape by the three classes of AUCSCHED section 4.
// Each method returns at most limit spots and the number of spots without a limit,
// so that the caller can count what the limit cuts.
type aligner struct {
	nodesets
	// length is |N_c|, the number of nodes of the shape.
	length int
	// turn is the nodeset with which the job begins. It differs from job to job:
	// otherwise all jobs of a window would bid for the same nodes first.
	turn int
}

// at returns the spot that begins at the given position of nodesets.nodes.
func (a aligner) at(class Class, position int) spot {
	end := position + a.length
	return spot{class: class, nodes: a.nodes[position:end:end], sets: a.setOf[end-1] - a.setOf[position] + 1}
}

// inTurn returns the position of the i-th set in this job's order.
func (a aligner) inTurn(i int) int { return (i + a.turn) % len(a.sets) }

// classA returns the spots of class A, by "aligning the bid class to the beginning or end of the nodeset".
func (a aligner) classA(limit int) (spots []spot, total int) {
	add := func(position int) {
		total++
		if len(spots) < limit {
			spots = append(spots, a.at(ClassA, position))
		}
	}
	for i := range a.sets {
		s := a.inTurn(i)
		begin, end := a.before[s], a.before[s+1]-a.length
		switch {
		case end < begin:
		case end == begin:
			add(begin)
		case a.turn%2 == 0:
			add(begin)
			add(end)
		default:
			add(end)
			add(begin)
		}
	}
	return spots, total
}

// classB returns the spots of class B, "without limiting the nodes to the beginning or end of the nodeset".
// The offsets are multiples of the length, so that bids of one job do not
// overlap in part. When there are more than limit, those kept are spread over
// the machine.
func (a aligner) classB(limit int) (spots []spot, total int) {
	for _, s := range a.sets {
		total += a.offsets(s)
	}
	kept := min(limit, total)
	for i := range kept {
		nth := (a.turn + i*total/kept) % total
		for s, set := range a.sets {
			count := a.offsets(set)
			if nth < count {
				spots = append(spots, a.at(ClassB, a.before[s]+(nth+1)*a.length))
				break
			}
			nth -= count
		}
	}
	return spots, total
}

// offsets is the number of class B offsets in a set.
func (a aligner) offsets(s machine.Nodeset) int {
	return max(0, s.Len()-a.length-1) / a.length
}

// classC returns the spots of class C, for which "the nodeset is combined with their neighbours to create
// non-contiguous nodesets". Only sets too short for the job are combined. A
// spot begins with such a set and goes on to the right until it has enough
// nodes, or ends with it and goes on to the left.
func (a aligner) classC(limit int) (spots []spot, total int) {
	add := func(position int) {
		total++
		if len(spots) < limit {
			spots = append(spots, a.at(ClassC, position))
		}
	}
	for i := range a.sets {
		s := a.inTurn(i)
		if a.sets[s].Len() >= a.length {
			continue
		}
		if begin := a.before[s]; begin+a.length <= len(a.nodes) {
			add(begin)
		}
		// If the spot to the left begins where a short set begins, the spot
		// to the right from there is the same.
		begin := a.before[s+1] - a.length
		if begin < 0 {
			continue
		}
		if first := a.setOf[begin]; begin > a.before[first] || a.sets[first].Len() >= a.length {
			add(begin)
		}
	}
	return spots, total
}

// generates reports whether a spot is among those that the method of its class
// returns without a limit.
func (a aligner) generates(at spot) bool {
	position, _ := slices.BinarySearch(a.nodes, at.nodes[0])
	set := a.setOf[position]
	switch at.class {
	case ClassA:
		return true
	case ClassB:
		return (position-a.before[set])%a.length == 0
	default:
		end := position + a.length
		if end > len(a.nodes) || !slices.Equal(a.nodes[position:end], at.nodes) {
			return false
		}
		last := a.setOf[end-1]
		return position == a.before[set] && a.sets[set].Len() < a.length ||
			end == a.before[last+1] && a.sets[last].Len() < a.length
	}
}
