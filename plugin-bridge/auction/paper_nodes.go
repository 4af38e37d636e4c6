package auction

import (
	"sort"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// nodeRow is the nodes of all nodesets that a job may use, nodeset after nodeset. The nodes of
// every bid of class A, B and C are neighbours in it.
type nodeRow struct {
	nodes []int
	// set is the nodeset of each position, begin where each set begins; its last element
	// is len(nodes).
	set, begin []int
	// cores are the free cores before each position.
	cores []int
}

func newNodeRow(nodes []machine.Node, sets []machine.Nodeset) nodeRow {
	r := nodeRow{begin: []int{0}, cores: []int{0}}
	for i, s := range sets {
		for n := s.First; n <= s.Last; n++ {
			r.nodes = append(r.nodes, n)
			r.set = append(r.set, i)
			r.cores = append(r.cores, r.cores[len(r.cores)-1]+nodes[n].FreeCores)
		}
		r.begin = append(r.begin, len(r.nodes))
	}
	return r
}

func (r nodeRow) sets() int { return len(r.begin) - 1 }

// free is the number of free cores from one position to before another.
func (r nodeRow) free(from, to int) int { return r.cores[to] - r.cores[from] }

// fewestFrom returns where the fewest nodes end that begin at a position and have so many
// free cores, or len(nodes)+1.
func (r nodeRow) fewestFrom(from, cores int) int {
	return sort.Search(len(r.cores), func(to int) bool { return to > from && r.free(from, to) >= cores })
}

// fewestTo returns where the fewest nodes begin that end before a position and have so many
// free cores, or -1.
func (r nodeRow) fewestTo(to, cores int) int {
	return sort.Search(to, func(from int) bool { return r.free(from, to) < cores }) - 1
}

// candidate is the nodes of a row from a position to before another one.
type candidate struct {
	class    bidding.Class
	from, to int
}

// spans is |S_c|, the number of nodesets that the candidate's nodes come from.
func (r nodeRow) spans(c candidate) int { return r.set[c.to-1] - r.set[c.from] + 1 }

// candidates returns the candidates of a job, each once.
func (r nodeRow) candidates(j bidding.Job) []candidate {
	var all []candidate
	add := func(class bidding.Class, from, to int) { all = append(all, candidate{class, from, to}) }
	switch {
	case j.CoresPerNode > 0:
		r.rigid(j.Tasks(), j.Tasks()/j.CoresPerNode, j.Contiguous, add)
	case j.Nodes > 0:
		r.rigid(j.Tasks(), j.Nodes, j.Contiguous, add)
	default:
		// A candidate may be found twice, but for class B, where no two begin alike.
		found := make(map[candidate]bool)
		r.coresOnly(j.Tasks(), j.Contiguous, func(class bidding.Class, from, to int) {
			at := candidate{class, from, to}
			if class == bidding.ClassB || !found[at] {
				add(class, from, to)
			}
			if class != bidding.ClassB {
				found[at] = true
			}
		})
	}
	return all
}

// coresOnly adds the candidates of a job of type 1, which only has a number of cores.
func (r nodeRow) coresOnly(cores int, contiguous bool, add func(class bidding.Class, from, to int)) {
	for s := range r.sets() {
		begin, end := r.begin[s], r.begin[s+1]
		if r.free(begin, end) < cores {
			continue
		}
		// A: "If the nodeset has enough cores for the job, the bid-class requires as few
		// nodes as possible aligning the bid class to the beginning or end of the nodeset".
		add(bidding.ClassA, begin, r.fewestFrom(begin, cores))
		add(bidding.ClassA, r.fewestTo(end, cores), end)
		// B: "Same mechanism as in A above is applied, but this time without limiting the
		// nodes to the beginning or end of the nodeset".
		for from := begin + 1; from < end; from++ {
			to := r.fewestFrom(from, cores)
			if to >= end {
				break
			}
			add(bidding.ClassB, from, to)
		}
	}
	if contiguous {
		return
	}
	// C: "The nodeset is combined with their neighbours".
	for s := range r.sets() {
		begin, end := r.begin[s], r.begin[s+1]
		if to := r.fewestFrom(begin, cores); to > end && to <= len(r.nodes) {
			add(bidding.ClassC, begin, to)
		}
		if from := r.fewestTo(end, cores); from >= 0 && from < begin {
			add(bidding.ClassC, from, end)
		}
		// Each node gives a core at least, so that a job has no more nodes than cores.
		for last := s + 1; last < r.sets() && r.begin[last+1]-begin <= cores; last++ {
			if r.free(begin, r.begin[last+1]) >= cores {
				add(bidding.ClassC, begin, r.begin[last+1])
			}
		}
	}
}

// rigid adds the candidates of a job of type 2 or 3, whose number of nodes is given.
func (r nodeRow) rigid(cores, nodes int, contiguous bool, add func(class bidding.Class, from, to int)) {
	for from := 0; from+nodes <= len(r.nodes); from++ {
		to := from + nodes
		first, last := r.set[from], r.set[to-1]
		switch {
		case r.free(from, to) < cores:
		case first != last:
			// C: "nodesets in this case are combined with their neighbours to create
			// non-contiguous nodesets. Again this type of bid is only created if a job
			// does not specifically request contiguous allocation".
			if !contiguous {
				add(bidding.ClassC, from, to)
			}
		case from == r.begin[first] || to == r.begin[first+1]:
			// A: "If the nodeset has at least R_j^cpu cores on R_j^node nodes, than a bid class requesting this
			// number of cores and nodes is created, aligning it to the beginning or end of that node set".
			add(bidding.ClassA, from, to)
		default:
			// B: "this time the bid-class may request nodes from the middle of the
			// nodeset".
			add(bidding.ClassB, from, to)
		}
	}
}
