package bidding

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// sequential starts the jobs of the window one after the other, each in the first of its shapes that fits what the
// jobs before it have left. "We first update our node information table as if that job had been scheduled" (AUCSCHED
// section 5). A job with a range of GPUs takes the least, as Slurm would give it, so that the jobs after it find as
// much free as under Slurm. Jobs that do not fit any more have a nil entry.
func (g *Generator) sequential() []*placed {
	found := make([]*placed, len(g.jobs))
	left := slices.Clone(g.nodes)
	licences := slices.Clone(g.licences)
	for j, job := range g.jobs {
		if !licences.Cover(job.Options.Licences) {
			continue
		}
		for _, sh := range g.leastShapes(j) {
			at, ok := g.firstFit(j, left, sh)
			if !ok {
				continue
			}
			bid, ok := g.bid(j, sh, at)
			if !ok {
				continue
			}
			found[j] = &placed{sh, at}
			machine.Take(left, bid.Allocation)
			licences.Take(job.Options.Licences)
			break
		}
	}
	return found
}

// leastShapes returns the shapes with the fewest GPUs, request by request.
func (g *Generator) leastShapes(j int) []shape {
	var all []shape
	for i, c := range g.choices[j] {
		if i+1 == len(g.choices[j]) || g.choices[j][i+1].Alternative != c.Alternative {
			all = append(all, g.shapes[j][i]...)
		}
	}
	return all
}
