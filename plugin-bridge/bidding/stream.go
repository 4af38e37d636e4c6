package bidding

import "slices"

// stream is the spots of one shape and class. A job bids for the first spot of each
// of its streams, then for the second of each, and so on.
type stream struct {
	shape shape
	spots []spot
}

// placed is a shape on a spot.
type placed struct {
	shape shape
	spot  spot
}

// forJob returns the bids of one job, and how many of its candidates the limit dropped. first is the nodes that the
// job has if jobs are started in the order of the queue, nil if it has none.
func (g *Generator) forJob(j int, first *placed, limit int) (bids []Bid, dropped int) {
	streams, total := g.streams(j, limit)
	twin := false // a candidate not tried yet is the first bid once more
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
			if !ok || slices.ContainsFunc(bids, bid.Same) {
				total--
				twin = twin && (!ok || !bid.Same(bids[0]))
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

// streams returns the candidates of a job and their number without a limit. Streams
// below switches come first, then those of class A, B and C, within a class by shape.
// The shapes of the job's choices take turns, so that a limit drops all numbers of
// GPUs and all alternatives alike.
func (g *Generator) streams(j, limit int) (streams []stream, total int) {
	shapes := inTurns(g.shapes[j])
	if len(g.jobs[j].Options.Required) > 0 {
		for _, sh := range shapes {
			spots, count := g.around(j, sh, g.nodesetsFor(j, sh), limit)
			total += count
			streams = append(streams, stream{sh, spots})
		}
		return streams, total
	}
	streams, total = g.underStreams(j, shapes, limit)
	for _, class := range []Class{ClassA, ClassB, ClassC} {
		if class == ClassC && g.jobs[j].Contiguous {
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

// underStreams returns the candidates of a job below switches, by shape, and their
// number without a limit. Each job begins with another switch, so that not all jobs
// bid for the same nodes first.
func (g *Generator) underStreams(j int, shapes []shape, limit int) (streams []stream, total int) {
	for _, sh := range shapes {
		spots := g.under(j, sh)
		if len(spots) == 0 {
			continue
		}
		turn := j % len(spots)
		total += len(spots)
		inTurn := slices.Concat(spots[turn:], spots[:turn])
		streams = append(streams, stream{sh, inTurn[:min(limit, len(inTurn))]})
	}
	return streams, total
}
