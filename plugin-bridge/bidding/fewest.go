package bidding

// Jobs that prefer few nodes (BidOptions.FewestNodes). For example, a job of 16 cores on nodes of 8 needs two. It bids
// for 2, 3, 4, 8 or 16 nodes, and four nodes are worth three quarters of what two are worth to it.

const (
	// extraNodes is how much of its worth a bid on very many nodes has lost, and outOfPlace what it loses by each class
	// after A. docs/records/045-packing has the figures that they were chosen by.
	extraNodes = 0.5
	outOfPlace = 0.25
)

// onFewest is the preference of a bid in (0,1], which takes the place of [Preference].
func onFewest(c Class, fewest, nodes int) float64 {
	placed := 1.0
	switch c {
	case ClassB:
		placed -= outOfPlace
	case ClassC:
		placed -= 2 * outOfPlace
	case ClassR:
		placed -= 3 * outOfPlace
	}
	return placed * (1 - extraNodes*(1-float64(min(fewest, nodes))/float64(nodes)))
}

// fewest is the fewest nodes that the job can take for one of its choices, for a bid that takes so many. Only jobs of
// type 1 leave their number open.
func (g *Generator) fewest(j, choice, nodes int) int {
	job := g.choices[j][choice]
	cores := g.ladders[j].shapers[len(g.ladders[j].shapers)-1].cores
	if job.Type() != Type1 || cores < 1 {
		return nodes
	}
	return (job.Tasks() + cores - 1) / cores
}

// nearFewest chooses the shapes of a job of type 1 near 1, 1.34, 2, 4 and 16 times its fewest nodes. all begin with
// the fewest.
func nearFewest(all []shape) []shape {
	var near []shape
	for _, step := range [...]float64{1, 1.34, 2, 4, 16} {
		for _, sh := range all {
			if float64(sh.nodes) < step*float64(all[0].nodes) {
				continue
			}
			if len(near) == 0 || sh.nodes > near[len(near)-1].nodes {
				near = append(near, sh)
			}
			break
		}
	}
	return near
}
