package auction

import (
	"slices"
)

// Limits on bids where Options leaves them at 0. AUCSCHED section 6.2 used 5
// per job and 15 in its "largest" runs. 5000 keeps the integer program below
// the size at which HiGHS has no incumbent within 5 s.
const (
	DefaultMaxBidsPerJob = 15
	DefaultMaxBids       = 5000
)

// Generate returns the bids of class A, B and C, grouped by job in window
// order, and the number of further candidates that the limits cut. The bids of
// a job are distinct. All have stable layouts.
//
// A job first gets the bid that a scheduler would give it that starts the
// window's jobs one after the other, as AUCSCHED section 5 does with its SLURM
// bids, though under the class that its place has; Options.NoSlurmBids leaves them
// out. These bids do not conflict, so that the auction is never worse than first
// come, first served. The rest
// of its budget goes round-robin over shapes and classes, and where MaxBids
// cuts, jobs lose their last bids first: a cut costs variety, not a density or
// a class as a whole.
func Generate(s Snapshot, o Options) (bids []Bid, cut int) {
	perJob, lost := generate(s, o)
	for j, own := range perJob {
		bids = append(bids, own...)
		cut += lost[j]
	}
	return bids, cut
}

// Cut returns, for each job of the window, the number of its candidates that the
// limits cut in Generate.
func Cut(s Snapshot, o Options) []int {
	_, lost := generate(s, o)
	return lost
}

// generate is Generate by job.
func generate(s Snapshot, o Options) (perJob [][]Bid, lost []int) {
	o = o.withDefaults()
	s = o.restrict(s)
	g := newGenerator(s)
	perJob, lost = make([][]Bid, len(s.Jobs)), make([]int, len(s.Jobs))
	sequential := make([]*placed, len(s.Jobs))
	if !o.NoSlurmBids {
		sequential = g.sequential()
	}
	for j, first := range sequential {
		perJob[j], lost[j] = g.forJob(j, first, o.MaxBidsPerJob)
	}
	for j, keep := range share(perJob, o.MaxBids) {
		lost[j] += len(perJob[j]) - keep
		perJob[j] = perJob[j][:keep]
	}
	return perJob, lost
}

// share tells how many bids each job keeps when all may have limit in total,
// dealing them out one at a time in job order.
func share(perJob [][]Bid, limit int) []int {
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
	return keep
}

// generator holds what the jobs of one snapshot share.
type generator struct {
	snapshot Snapshot
	machine  machine
	rules    []rule      // of each job
	choices  [][]choice  // of each job
	shapes   [][][]shape // of each job, by choice
	places   map[placesKey]places
	tree     tree
	// underSwitches caches under.
	underSwitches map[underKey][]spot
}

type placesKey struct {
	need, gpus int
	idle       bool
	rule       string
}

func newGenerator(s Snapshot) *generator {
	g := &generator{
		snapshot: s, machine: newMachine(s.Nodes), places: make(map[placesKey]places),
		tree: newTree(s.Nodes), underSwitches: make(map[underKey][]spot),
	}
	for _, j := range s.Jobs {
		g.rules = append(g.rules, newRule(j.Options))
		choices := j.choices()
		if !Covers(s.Licences, j.Options.Licences) {
			choices = nil
		}
		shapes := make([][]shape, len(choices))
		for i, c := range choices {
			shapes[i] = g.machine.shapes(c.Job)
			for k := range shapes[i] {
				shapes[i][k].choice = i
			}
		}
		g.choices = append(g.choices, choices)
		g.shapes = append(g.shapes, shapes)
	}
	return g
}

func (g *generator) keyOf(j int, sh shape) placesKey {
	return placesKey{sh.need, sh.gpus, sh.idle, g.rules[j].key}
}

// placesFor returns the nodesets of the snapshot that can hold the job's shape.
func (g *generator) placesFor(j int, sh shape) places {
	key := g.keyOf(j, sh)
	p, known := g.places[key]
	if !known {
		p = newPlaces(g.rules[j].sets(g.snapshot.Nodes, sh))
		g.places[key] = p
	}
	return p
}

// stream is the bids of one shape and class, taken one at a time.
type stream struct {
	shape shape
	spots []spot
}

// placed is a shape on a spot.
type placed struct {
	shape shape
	spot  spot
}

// forJob returns the bids of one job, and how many of its candidates the limit
// cut. first is its sequential bid, if it has one.
func (g *generator) forJob(j int, first *placed, limit int) (bids []Bid, cut int) {
	streams, total := g.streams(j, limit)
	twin := false // a candidate not met yet is the sequential bid once more
	if first != nil {
		bid, _ := g.bid(j, first.shape, first.spot)
		bids = append(bids, bid)
		total++
		twin = g.generates(j, first.shape, first.spot)
	}
	for round := 0; len(bids) < limit; round++ {
		more := false
		for _, st := range streams {
			if round >= len(st.spots) || len(bids) == limit {
				continue
			}
			more = true
			bid, ok := g.bid(j, st.shape, st.spots[round])
			if !ok || slices.ContainsFunc(bids, bid.same) {
				total--
				twin = twin && (!ok || !bid.same(bids[0]))
				continue
			}
			bids = append(bids, bid)
		}
		if !more {
			break
		}
	}
	if twin {
		total--
	}
	return bids, total - len(bids)
}

// aligner returns the aligner of a shape for a job.
func (g *generator) aligner(j int, sh shape) aligner {
	return aligner{places: g.placesFor(j, sh), length: sh.nodes, turn: j}
}

// generates reports whether a spot is among those of the job's streams.
func (g *generator) generates(j int, sh shape, at spot) bool {
	if len(g.snapshot.Jobs[j].Options.Required) == 0 {
		return hasNodes(g.under(j, sh), at) || g.aligner(j, sh).generates(at)
	}
	spots, _ := g.around(j, sh, g.placesFor(j, sh), len(g.snapshot.Nodes))
	return slices.ContainsFunc(spots, func(s spot) bool { return slices.Equal(s.nodes, at.nodes) })
}

// streams returns the candidates of a job, those below switches first, then by
// class and, within a class, by shape, and the number of all candidates. The shapes of the job's choices take
// turns, so that a limit cuts all numbers of GPUs and alternatives alike.
func (g *generator) streams(j, limit int) (streams []stream, total int) {
	shapes := inTurns(g.shapes[j])
	if len(g.snapshot.Jobs[j].Options.Required) > 0 {
		for _, sh := range shapes {
			spots, count := g.around(j, sh, g.placesFor(j, sh), limit)
			total += count
			streams = append(streams, stream{sh, spots})
		}
		return streams, total
	}
	streams, total = g.underStreams(j, shapes, limit)
	for _, class := range []Class{ClassA, ClassB, ClassC} {
		if class == ClassC && g.snapshot.Jobs[j].Contiguous {
			continue
		}
		for _, sh := range shapes {
			a := g.aligner(j, sh)
			if len(a.nodes) < sh.nodes {
				continue
			}
			var spots []spot
			var count int
			switch class {
			case ClassA:
				spots, count = a.classA(limit)
			case ClassB:
				spots, count = a.classB(limit)
			default:
				spots, count = a.classC(limit)
			}
			total += count
			for _, s := range g.under(j, sh) {
				if s.class == class && a.generates(s) {
					total--
				}
			}
			streams = append(streams, stream{sh, without(spots, g.under(j, sh))})
		}
	}
	return streams, total
}

// bid places a shape on a spot. It reports false if the placement rule or the
// memory or the switches of the nodes do not allow it there.
func (g *generator) bid(j int, sh shape, at spot) (Bid, bool) {
	cores := sh.cores
	if cores == nil {
		free := make([]int, len(at.nodes))
		sum := 0
		for i, n := range at.nodes {
			free[i] = g.snapshot.Nodes[n].FreeCores
			sum += free[i]
		}
		var err error
		switch {
		case !sh.exclusive:
			if cores, err = Place(free, sh.request); err != nil {
				return Bid{}, false
			}
		case sum < sh.request.Tasks:
			return Bid{}, false
		default:
			cores = free
		}
	}
	options := g.snapshot.Jobs[j].Options
	sets := len(g.placesFor(j, sh).sets)
	fragmentation := preference(g.choices[j][sh.choice].Type(), at.class, len(at.nodes), len(g.snapshot.Nodes), min(at.sets, sets), sets)
	b := Bid{
		Job: j, Class: at.class, Alternative: g.choices[j][sh.choice].alternative, Nodes: at.nodes, Cores: cores, GPUs: sh.gpus,
		Preference:   amongChoices(g.tree.prefer(at.nodes, fragmentation), sh.choice, len(g.choices[j])),
		TasksPerNode: sh.request.TasksPerNode,
		MinCores:     sh.request.MinCores,
		Exclusive:    sh.exclusive, Tasks: sh.wholeTasks(),
		MemoryPerNode: options.MemoryPerNode, MemoryPerCore: options.MemoryPerCore,
	}
	return b, !b.lacksMemory(g.snapshot.Nodes) && g.tree.allows(options, at.nodes)
}

// same reports whether two bids of a job take the same.
func (b Bid) same(other Bid) bool {
	return b.GPUs == other.GPUs && b.Alternative == other.Alternative && len(b.Nodes) == len(other.Nodes) && b.Nodes[0] == other.Nodes[0] &&
		slices.Equal(b.Cores, other.Cores) && slices.Equal(b.Nodes, other.Nodes)
}
