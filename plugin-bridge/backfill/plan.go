package backfill

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// State is what Slurm decides on.
type State struct {
	Now time.Duration
	// Nodes have free what Running leaves.
	Nodes   []nodeset.Node
	Running []journal.Running
	// Queue is in the order of priority.
	Queue    []auction.Job
	Licences []auction.Licence
}

// Options of sched/backfill.
type Options struct {
	// Reservations is the number of jobs that get one; 0 means all, as in Slurm.
	Reservations int
	// Resolution is bf_resolution.
	Resolution time.Duration
}

// Start is when and where a job of the queue would start.
type Start struct {
	Job int
	// At is on the scale of State.Now. Never means that the running jobs and
	// reservations without an end, or the machine, do not let the job start at all;
	// the rest is empty then.
	At    time.Duration
	Never bool
	// Nodes are indices, ascending, with the Cores on each.
	Nodes, Cores []int
	// After are the running jobs that hold some of the nodes until then, and Behind
	// the jobs of the queue that would.
	After, Behind []int
}

// InOrder returns the starts, now, of the jobs at the head of the queue, up to the
// first that does not fit.
func InOrder(s State) []Start {
	p := newPass(s)
	var starts []Start
	for _, j := range s.Queue {
		nodes, cores := p.now(j)
		if nodes == nil {
			break
		}
		starts = append(starts, p.start(j, nodes, cores))
	}
	return starts
}

// Plan returns the starts of the first jobs of the queue, as many as count.
func Plan(s State, o Options, count int) []Start {
	p := newPass(s)
	starts := make([]Start, 0, count)
	reserved := 0
	for _, j := range s.Queue[:min(count, len(s.Queue))] {
		at, nodes, cores := p.earliest(j)
		switch {
		case nodes == nil:
			starts = append(starts, Start{Job: j.ID, Never: true})
		case at == s.Now:
			starts = append(starts, p.start(j, nodes, cores))
		default:
			start := Start{Job: j.ID, At: at, Nodes: nodes, Cores: cores}
			start.After, start.Behind = p.before(at, nodes)
			starts = append(starts, start)
			if o.Reservations == 0 || reserved < o.Reservations {
				reserved++
				p.reserve(j, at, nodes, o.Resolution)
			}
		}
	}
	return starts
}

// never is when ends what has no limit.
const never = time.Duration(1<<63 - 1)

// until is when a job ends at the latest that starts at an instant.
func until(at, limit time.Duration) time.Duration {
	if limit <= 0 || limit >= never-at {
		return never
	}
	return at + limit
}
