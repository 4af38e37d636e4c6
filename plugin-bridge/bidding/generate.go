package bidding

import (
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// DefaultMaxBidsPerJob is the limit of AUCSCHED's published plug-in and of those runs
// of AUCSCHED section 6.2 that are called "largest"; the other runs there have 5.
const DefaultMaxBidsPerJob = 15

// BidOptions are the limits on bids and the kinds of them.
type BidOptions struct {
	// MaxBidsPerJob is the paper's MAXBIDSPERJOB; 0 means DefaultMaxBidsPerJob.
	// MaxBids is the limit over all jobs; 0 means none. Class R bids, at most one
	// per job, come on top.
	MaxBidsPerJob, MaxBids int
	// SlurmBids gives each job the bid that it would win if jobs were started in the
	// order of the queue, see [Generator.Bids]. AUCSCHED Table 8 has runs "excluding
	// SLURM bids".
	SlurmBids bool
	// Remainders lets [Generator.Remainders] make bids of class R, which no paper
	// has.
	Remainders bool
	// Papers asks for the bids of AUCSCHED's text (auction.PaperBids) in place of a [Generator]'s.
	Papers bool
	// OnlyBlocks makes every job bid as if it had asked for one block: "only type
	// A and B (i.e. contiguous block) bids are created" (AUCSCHED section 6.2).
	OnlyBlocks bool
	// FewestNodes has jobs prefer their fewest nodes. A job of type 1 bids for these and for few
	// numbers above, and what a bid is worth falls with the nodes that it takes beyond them ([onFewest]).
	FewestNodes bool
}

// Generator makes the bids of the jobs of a window.
type Generator struct {
	*finder
	licences machine.Licences
	options  BidOptions
	choices  [][]Choice  // of each job
	shapes   [][][]shape // of each job, by choice
	ladders  []ladder    // of each job
}

// ladderKey is equal for jobs that have one ladder.
type ladderKey struct {
	rule      string
	mostNodes int
}

// NewGenerator returns the generator for the jobs of a window, in its order, on the
// nodes and licences that are free. It reads its arguments only.
func NewGenerator(nodes []machine.Node, jobs []Job, licences machine.Licences, o BidOptions) *Generator {
	if o.MaxBidsPerJob <= 0 {
		o.MaxBidsPerJob = DefaultMaxBidsPerJob
	}
	if o.MaxBids <= 0 {
		o.MaxBids = math.MaxInt
	}
	if o.OnlyBlocks {
		jobs = slices.Clone(jobs)
		for i := range jobs {
			jobs[i].Contiguous = true
		}
	}
	g := &Generator{finder: newFinder(nodes, jobs), licences: licences, options: o}
	ladders := make(map[ladderKey]ladder)
	for at, j := range jobs {
		key := ladderKey{g.rules[at].key, j.Options.MostNodes}
		over, known := ladders[key]
		if !known {
			over = newLadder(nodes, j.Options, o.FewestNodes)
			ladders[key] = over
		}
		choices := j.Choices()
		if !licences.Cover(j.Options.Licences) {
			choices = nil
		}
		shapes := make([][]shape, len(choices))
		for i, c := range choices {
			shapes[i] = over.shapes(c, i)
		}
		g.ladders = append(g.ladders, over)
		g.choices = append(g.choices, choices)
		g.shapes = append(g.shapes, shapes)
	}
	return g
}

// Bids returns the bids of class A, B and C, grouped by job in window order, and
// for each job the number of further candidates that the limits drop. The bids of a
// job are distinct. All have stable layouts.
//
// With BidOptions.SlurmBids a job first gets the bid that it would win if a scheduler
// started the window's jobs one after the other (AUCSCHED section 5, "SLURM bids").
// These bids of all jobs fit together, so that an auction with them is never worse
// than first come, first served. Their class follows from where they lie.
//
// All further bids of a job are taken in turn from each of its shapes and classes.
// Where MaxBids drops bids, jobs lose their last bids first. So a job with few bids still
// has some of every shape and class, though on fewer nodes.
func (g *Generator) Bids() (bids []Bid, dropped Dropped) {
	perJob := make([][]Bid, len(g.jobs))
	dropped = make(Dropped, len(g.jobs))
	sequential := make([]*placed, len(g.jobs))
	if g.options.SlurmBids {
		sequential = g.sequential()
	}
	for j, first := range sequential {
		perJob[j], dropped[j] = g.forJob(j, first, g.options.MaxBidsPerJob)
	}
	bids, cut := Deal(perJob, g.options.MaxBids)
	for j := range cut {
		dropped[j] += cut[j]
	}
	return bids, dropped
}

// Dropped are, for each job of a window, the candidates that the limits dropped.
type Dropped []int

// Total is the number of candidates dropped over all jobs.
func (d Dropped) Total() int {
	total := 0
	for _, n := range d {
		total += n
	}
	return total
}

// Alone returns the bid of a job that is the only one to bid for the nodes, if they
// can hold it. Licences do not matter.
func Alone(nodes []machine.Node, j Job) (Bid, bool) {
	j.Options.Licences = nil
	g := NewGenerator(nodes, []Job{j}, nil, BidOptions{})
	found := g.sequential()[0]
	if found == nil {
		return Bid{}, false
	}
	return g.bid(0, found.shape, found.spot)
}

// Deal returns the bids that the jobs keep if all jobs together may have limit, grouped by job, and how many each job
// loses. One bid is dealt out to each job in turn, its first one first, until none is left.
func Deal(perJob [][]Bid, limit int) (bids []Bid, cut Dropped) {
	keep := make([]int, len(perJob))
	for round, dealt := 0, true; dealt && limit > 0; round++ {
		dealt = false
		for j, own := range perJob {
			if round < len(own) && limit > 0 {
				dealt = true
				keep[j]++
				limit--
			}
		}
	}
	cut = make(Dropped, len(perJob))
	for j, own := range perJob {
		cut[j] = len(own) - keep[j]
		bids = append(bids, own[:keep[j]]...)
	}
	return bids, cut
}

// bid places a shape on a spot. It reports false if the placement rule or the
// memory or the switches of the nodes do not allow it there.
func (g *Generator) bid(j int, sh shape, at spot) (Bid, bool) {
	cores := sh.cores
	if cores == nil {
		free := make([]int, len(at.nodes))
		sum := 0
		for i, n := range at.nodes {
			free[i] = g.nodes[n].FreeCores
			if !sh.exclusive {
				free[i] = g.nodes[n].Usable(g.jobs[j].Options.MemoryPerCore)
			}
			sum += free[i]
		}
		var err error
		switch {
		case !sh.exclusive:
			if cores, err = machine.Place(free, sh.request); err != nil {
				return Bid{}, false
			}
		case sum < sh.request.Tasks:
			return Bid{}, false
		default:
			cores = free
		}
	}
	options := g.jobs[j].Options
	sets := len(g.nodesetsFor(j, sh).sets)
	fragmentation := Preference(g.choices[j][sh.choice].Type(), at.class, len(at.nodes), len(g.nodes), min(at.sets, sets), sets)
	if g.options.FewestNodes {
		fragmentation = onFewest(at.class, g.fewest(j, sh.choice, len(at.nodes)), len(at.nodes))
	}
	rank, ranks := g.ladders[j].rank(g.nodes, at.nodes, sh.choice, len(g.choices[j]))
	b := Bid{
		Job: j, Class: at.class, Alternative: g.choices[j][sh.choice].Alternative,
		Allocation: machine.Allocation{
			Nodes: at.nodes, Cores: cores, GPUs: sh.gpus,
			MemoryPerNode: options.MemoryPerNode, MemoryPerCore: options.MemoryPerCore,
		},
		Preference:   AmongChoices(g.tree.prefer(at.nodes, fragmentation), rank, ranks),
		TasksPerNode: sh.request.TasksPerNode,
		MinCores:     sh.request.MinCores,
		Exclusive:    sh.exclusive, Tasks: sh.wholeTasks(),
	}
	return b, machine.Fits(g.nodes, b.Allocation) && g.tree.allows(options, at.nodes)
}
