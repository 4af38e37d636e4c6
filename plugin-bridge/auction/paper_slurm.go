package auction

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// slurmBids gives each job for which there is room the bid that Slurm's own selection of nodes leads to. "In order to
// determine the allocation for the second job in the queue, we first update our node information table as if that job
// had been scheduled, and let SLURM find its next allocation for the second job" (AUCSCHED section 5). So all these
// bids fit together.
//
// "SLURM bids are added to the system with coefficients k_1 = k_2 = k_3 = 0, so that all of
// them have the highest F_jc values possible" (section 5.1). Of a job with a range of GPUs
// that is the highest value among its bids with as many GPUs, since AUCSCHED2 section 2
// puts more GPUs first. Slurm knows neither ranges nor alternatives, and so gives the job
// its first request with the fewest GPUs.
func (g *paperGenerator) slurmBids(perJob [][]bidding.Bid) {
	left, licences := slices.Clone(g.nodes), slices.Clone(g.licences)
	for j, job := range g.jobs {
		if job.Options.Switches > 0 || !licences.Cover(job.Options.Licences) {
			continue
		}
		a, fits := backfill.Place(left, job)
		a.MemoryPerNode, a.MemoryPerCore = job.Options.MemoryPerNode, job.Options.MemoryPerCore
		if !fits || job.Options.TooMany(len(a.Nodes)) || !machine.Fits(left, a) {
			continue
		}
		choices := job.Choices()
		first := slices.IndexFunc(choices, func(c bidding.Choice) bool { return c.Alternative == 0 && c.GPUs == job.GPUs })
		b := bidding.Bid{
			Job: j, Class: bidding.ClassSlurm, Allocation: a,
			Preference:   bidding.AmongChoices(1, first, len(choices)),
			TasksPerNode: job.CoresPerNode, Exclusive: job.Options.Exclusive,
		}
		if b.Exclusive {
			b.Tasks = job.Tasks()
		}
		perJob[j] = []bidding.Bid{b}
		machine.Take(left, a)
		licences.Take(job.Options.Licences)
	}
}
