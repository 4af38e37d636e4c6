package plot

import (
	"math"
	"sort"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// maxRows is the largest number of rows of a Gantt chart. At the height of a
// panel a row is then three to four points high, and the parts of a row that
// jobs share can be told apart. Machines with more nodes have several nodes in
// a row.
const maxRows = 64

// span is an interval on the node axis: node i covers [i, i+1).
type span struct{ lo, hi float64 }

// stripes says, by the id of a job, what the job fills on the node axis while it
// runs: ascending spans that do not touch. The height of a job's spans on a row is
// its share of the row's cores, so that jobs that share nodes lie beside each
// other. There are at most so many rows, of equally many nodes.
//
// Slurm's accounting has the number of cores of a job, but not the number per node, so the cores are spread evenly.
// Each row is a stack of lanes, one per core. A job takes the lowest free lanes, first on its own nodes. A job that
// has its nodes for itself is therefore drawn exactly where they are, and any other job less than a row away. Odd
// rows are drawn upside down, so that the parts of a job on two neighbouring rows meet and form one stripe twice as
// wide.
func stripes(m workloads.Machine, jobs []trace.FinishedJob, most int) map[int][]span {
	perRow := (m.Nodes + most - 1) / most
	rows := make([]row, 0, min(most, m.Nodes))
	sizes := m.Sizes()
	for first := 0; first < m.Nodes; first += perRow {
		rows = append(rows, newRow(first, sizes[first:min(first+perRow, m.Nodes)], len(rows)%2 == 1))
	}
	out := make(map[int][]span, len(jobs))
	for _, j := range byStart(jobs) {
		share := metric.EvenShare(j.AllocCores, j.Allocated, sizes)
		var spans []span
		for i := 0; i < len(j.Allocated); {
			r := &rows[j.Allocated[i]/perRow]
			count, begin := 0, i
			for ; i < len(j.Allocated) && j.Allocated[i]/perRow == j.Allocated[begin]/perRow; i++ {
				count += share[i]
			}
			spans = r.appendSpans(spans, r.take(j.Allocated[begin:i], count, j.Start, j.Finish))
		}
		out[j.ID] = spans
	}
	return out
}

// row is the stack of lanes of consecutive nodes. Lanes are numbered upwards,
// in a flipped row downwards.
type row struct {
	first int // index of the first node
	// starts are the positions at which each node begins, and the end of the last one.
	starts  []int
	flipped bool
	freeAt  []float64 // by lane
	// spans are where the positions are on the axis of nodes, on which each node has the
	// same room whatever it has of cores.
	spans []span
}

func newRow(first int, nodes []workloads.NodeSize, flipped bool) row {
	r := row{first: first, starts: []int{0}, flipped: flipped}
	for i, n := range nodes {
		for c := range n.Cores {
			r.freeAt = append(r.freeAt, math.Inf(-1))
			at := func(c int) float64 { return float64(first) + float64(i*n.Cores+c)/float64(n.Cores) }
			r.spans = append(r.spans, span{lo: at(c), hi: at(c + 1)})
		}
		r.starts = append(r.starts, len(r.freeAt))
	}
	return r
}

// take occupies count lanes from start to finish and returns their ascending numbers. It takes the lowest free ones
// of the given nodes, then the lowest other free ones. Where the even spread asks for more than is free, it takes
// lanes that are free soonest.
func (r *row) take(nodes []int, count int, start, finish float64) []int {
	own := make([]bool, len(r.freeAt))
	for _, n := range nodes {
		for p := r.starts[n-r.first]; p < r.starts[n-r.first+1]; p++ {
			own[r.flip(p)] = true
		}
	}
	order := make([]int, len(r.freeAt))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		x, y := order[a], order[b]
		waitX, waitY := math.Max(0, r.freeAt[x]-start), math.Max(0, r.freeAt[y]-start)
		if waitX != waitY {
			return waitX < waitY
		}
		return own[x] && !own[y]
	})
	taken := order[:min(count, len(order))]
	sort.Ints(taken)
	for _, lane := range taken {
		r.freeAt[lane] = math.Max(r.freeAt[lane], finish)
	}
	return taken
}

// flip turns a position counted upwards into a lane number and back.
func (r *row) flip(lane int) int {
	if r.flipped {
		return len(r.freeAt) - 1 - lane
	}
	return lane
}

// appendSpans adds the taken lanes to spans, merging what meets.
func (r *row) appendSpans(spans []span, taken []int) []span {
	position := make([]int, len(taken))
	for i, lane := range taken {
		position[i] = r.flip(lane)
	}
	sort.Ints(position)
	for _, p := range position {
		s := r.spans[p]
		if last := len(spans) - 1; last >= 0 && s.lo-spans[last].hi < 1e-6 {
			spans[last].hi = s.hi
			continue
		}
		spans = append(spans, s)
	}
	return spans
}
