package auction

import "github.com/slurmlab/slurmlab/plugin-bridge/bidding"

// beyondPapers says that no paper tells where the job may bid: it names nodes, wants them
// whole, or below few switches.
func beyondPapers(j bidding.Job) bool {
	return len(j.Options.Required) > 0 || j.Options.Exclusive || j.Options.Switches > 0
}

// ours adds to a job's SLURM bid the bids that the job has in our own auction.
func (g *paperGenerator) ours(j int, bids []bidding.Bid) ([]bidding.Bid, int) {
	o := bidding.BidOptions{MaxBidsPerJob: g.options.MaxBidsPerJob}
	more, dropped := bidding.NewGenerator(g.nodes, g.jobs[j:j+1], g.licences, o).Bids()
	for _, b := range more {
		b.Job = j
		if len(bids) == 0 || !b.Same(bids[0]) {
			bids = append(bids, b)
		}
	}
	return bids, dropped.Total()
}
