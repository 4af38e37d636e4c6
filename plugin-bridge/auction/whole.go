package auction

import "github.com/slurmlab/slurmlab/plugin-bridge/bidding"

// mostWhole is how many whole-node reservations a cycle makes. Each costs about ten searches for nodes, and four served the
// jobs of docs/records/024-twin as well as a thousand.
const mostWhole = 16

// reserveWhole returns reservations of exclusive jobs of the window that have none now, in its order and without a
// node in common, but for the job that has the reservation already. Nobody else collects whole nodes for
// them: each cycle fills what becomes free of a node with jobs that share it and run on when the rest of it is free. A
// value cannot help, since the job has no bid that could win.
//
// Bids that take whole nodes may also have the nodes ([Reservation].OnlySharing), as they leave them whole. Value
// decides among them, and a queue of only exclusive jobs is as if there were no such reservations. A job that has
// waited for its time limit, or is overdue, is late: its reservation binds all bids, and it starts as soon as it can.
//
// The papers have no exclusive jobs, so that [ObjectivePriority] has none of these reservations.
func (o Options) reserveWhole(s Snapshot, first *Reservation) []*Reservation {
	if o.ValueAlone || !o.Objective.ByValue() {
		return nil
	}
	var all []*Reservation
	for j, job := range s.Jobs {
		if len(all) == mostWhole {
			break
		}
		if !job.Options.Exclusive || first != nil && first.Bid.Job == j {
			continue
		}
		r := s.earliest(j, append(all, first))
		if r == nil || r.At == 0 && !late(job) {
			continue
		}
		r.OnlySharing = !late(job)
		all = append(all, r)
	}
	return all
}

// late says that a job has been slowed down by 2 already if it runs to its limit.
func late(j bidding.Job) bool { return j.Overdue || j.TimeLimit > 0 && j.Waited >= j.TimeLimit }
