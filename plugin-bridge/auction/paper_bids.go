package auction

import (
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// PaperBids returns the bids of the jobs of a window, in its order, on the nodes and licences that are free, grouped
// by job. For each job it also returns the number of further candidates that the limits drop.
//
// A job has at most BidOptions.MaxBidsPerJob bids of class A, B and C. Its SLURM bid is "used in
// addition to the type A, B and C bids" (AUCSCHED section 6.2) and comes first; no other bid
// of the job has the same nodes.
func PaperBids(nodes []machine.Node, jobs []bidding.Job, licences machine.Licences, o bidding.BidOptions) ([]bidding.Bid, bidding.Dropped) {
	if o.MaxBidsPerJob <= 0 {
		o.MaxBidsPerJob = bidding.DefaultMaxBidsPerJob
	}
	if o.MaxBids <= 0 {
		o.MaxBids = math.MaxInt
	}
	jobs = slices.Clone(jobs)
	for i := range jobs {
		jobs[i].Contiguous = jobs[i].Contiguous || o.OnlyBlocks
	}
	g := paperGenerator{
		nodes: nodes, jobs: jobs, licences: licences, options: o,
		asked: make([]int, len(nodes)), rows: make(map[rowKey]nodeRow),
	}
	perJob := make([][]bidding.Bid, len(jobs))
	if o.SlurmBids {
		g.slurmBids(perJob)
	}
	dropped := make(bidding.Dropped, len(jobs))
	for j := range jobs {
		perJob[j], dropped[j] = g.forJob(j, perJob[j])
	}
	bids, cut := bidding.Deal(perJob, o.MaxBids)
	for j := range cut {
		dropped[j] += cut[j]
	}
	return bids, dropped
}

// paperGenerator makes the bids of one window.
type paperGenerator struct {
	nodes    []machine.Node
	jobs     []bidding.Job
	licences machine.Licences
	options  bidding.BidOptions
	// asked is how many bids of class A, B and C so far ask for each node.
	asked []int
	rows  map[rowKey]nodeRow
}

// forJob adds to a job's SLURM bid, if there is one, its bids of class A, B and C, and
// returns how many candidates the limit leaves out.
func (g *paperGenerator) forJob(j int, bids []bidding.Bid) ([]bidding.Bid, int) {
	job := g.jobs[j]
	if !g.licences.Cover(job.Options.Licences) {
		return bids, 0
	}
	if beyondPapers(job) {
		return g.ours(j, bids)
	}
	streams := g.streams(j, bids)
	made, left := 0, 0
	for more := true; more && made < g.options.MaxBidsPerJob; {
		more = false
		for _, s := range streams {
			if len(s.candidates) == 0 || made == g.options.MaxBidsPerJob {
				continue
			}
			more = true
			if bid, ok := g.bid(j, s, s.next(g.asked)); ok {
				bids = append(bids, bid)
				made++
				for _, n := range bid.Nodes {
					g.asked[n]++
				}
			}
		}
	}
	for _, s := range streams {
		left += len(s.candidates)
	}
	return bids, left
}

// stream is the candidates of a class for one choice of a job that have no bid yet.
type stream struct {
	choice     bidding.Choice
	row        nodeRow
	candidates []ranked
}

type ranked struct {
	candidate
	preference float64
}

// streams returns the candidates of a job, class by class. The choices of a job take turns
// in each class, so that a limit drops all numbers of GPUs alike.
func (g *paperGenerator) streams(j int, slurm []bidding.Bid) []*stream {
	choices := g.jobs[j].Choices()
	byClass := make(map[bidding.Class][]*stream)
	for i, c := range choices {
		r := g.row(c)
		here := make(map[bidding.Class]*stream)
		for _, at := range r.candidates(c.Job) {
			if c.Options.TooMany(at.to-at.from) || slices.ContainsFunc(slurm, func(b bidding.Bid) bool {
				return b.Alternative == c.Alternative && b.GPUs == c.GPUs && slices.Equal(b.Nodes, r.nodes[at.from:at.to])
			}) {
				continue
			}
			if here[at.class] == nil {
				here[at.class] = &stream{choice: c, row: r}
				byClass[at.class] = append(byClass[at.class], here[at.class])
			}
			f := bidding.Preference(c.Type(), at.class, at.to-at.from, len(g.nodes), r.spans(at), r.sets())
			here[at.class].candidates = append(here[at.class].candidates, ranked{at, bidding.AmongChoices(f, i, len(choices))})
		}
	}
	return slices.Concat(byClass[bidding.ClassA], byClass[bidding.ClassB], byClass[bidding.ClassC])
}

// next takes out the candidate of the largest preference; of several the one whose nodes
// the fewest bids ask for; of several the first one.
func (s *stream) next(asked []int) ranked {
	before := make([]int, len(s.row.nodes)+1)
	for i, n := range s.row.nodes {
		before[i+1] = before[i] + asked[n]
	}
	best, least := 0, 0
	for i, c := range s.candidates {
		crowd := before[c.to] - before[c.from]
		if top := s.candidates[best]; i == 0 || c.preference > top.preference || c.preference == top.preference && crowd < least {
			best, least = i, crowd
		}
	}
	c := s.candidates[best]
	s.candidates = slices.Delete(s.candidates, best, best+1)
	return c
}

// bid returns the bid for a candidate, with the cores that Slurm gives the job there. It
// reports false if the nodes have too little memory for them.
func (g *paperGenerator) bid(j int, s *stream, c ranked) (bidding.Bid, bool) {
	nodes := s.row.nodes[c.from:c.to:c.to]
	free := make([]int, len(nodes))
	for i, n := range nodes {
		free[i] = g.nodes[n].Usable(g.jobs[j].Options.MemoryPerCore)
	}
	b := bidding.Bid{Job: j, Class: c.class, Alternative: s.choice.Alternative, Preference: c.preference, TasksPerNode: s.choice.CoresPerNode}
	cores, err := machine.Place(free, machine.Request{Tasks: s.choice.Tasks(), TasksPerNode: b.TasksPerNode})
	if err != nil {
		return b, false
	}
	o := g.jobs[j].Options
	b.Allocation = machine.Allocation{
		Nodes: nodes, Cores: cores, GPUs: s.choice.GPUs, MemoryPerNode: o.MemoryPerNode, MemoryPerCore: o.MemoryPerCore,
	}
	return b, machine.Fits(g.nodes, b.Allocation)
}

// rowKey holds what a row depends on: what each node must have, and bidding.JobOptions.Key.
type rowKey struct {
	cores, gpus int
	options     string
}

// row returns the nodesets that a choice can use. Type 1: "each of the nodesets with g=0 are tested". Type 2: "each
// of the nodesets with g = R_j^gpu are considered". Type 3: "each node in the nodeset is checked if there are R_j^cpn
// cores available on that node".
func (g *paperGenerator) row(c bidding.Choice) nodeRow {
	need := max(1, c.CoresPerNode)
	key := rowKey{need, c.GPUs, c.Options.Key()}
	r, known := g.rows[key]
	if !known {
		r = newNodeRow(g.nodes, machine.NodesetsWhere(g.nodes, need, c.GPUs, func(i int) bool { return c.Options.Allows(i, g.nodes[i], need) }))
		g.rows[key] = r
	}
	return r
}
