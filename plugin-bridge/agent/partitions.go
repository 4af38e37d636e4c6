package agent

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// choosePartitions gives each job that names several partitions one of them for this cycle. Slurm starts a job with the nodes of one partition.
// As Slurm does (_build_job_queue_for_part in src/slurmctld/job_scheduler.c), the jobs of the window are tried one after the other in each of
// their partitions, on what the jobs before them leave free. A job that fits now in none waits in its first one; the next cycle chooses again.
// An overdue job has its reservation (auction.Reservation) in that one alone. So its wait is bounded as if it named only its
// first partition: it may start earlier in another one, and no nodes are kept for it there.
func choosePartitions(window []HeldJob, jobs []bidding.Job, nodes []machine.Node, licences machine.Licences) {
	if !slices.ContainsFunc(window, func(h HeldJob) bool { return len(h.Within) > 1 }) {
		return
	}
	left, unused := slices.Clone(nodes), slices.Clone(licences)
	for i := range window {
		options := slices.Clone(window[i].Within)
		if len(options) == 0 {
			options = []bidding.JobOptions{jobs[i].Options}
		}
		for _, o := range options {
			// The model of bids that looks knows one number of nodes.
			request, _ := bidding.Choices{GPUs: true, Alternatives: true}.Narrow(jobs[i], nodes)
			o.Barred = jobs[i].Options.Barred
			request.Options = o
			bid, fits := bidding.Alone(left, request)
			wanted := slices.Concat(o.Licences, window[i].Limits[o.Partition])
			if !fits || !unused.Cover(wanted) {
				continue
			}
			jobs[i].Options = o
			o.Barred = nil
			window[i].Request.Options = o
			machine.Take(left, bid.Allocation)
			unused.Take(wanted)
			break
		}
	}
}
