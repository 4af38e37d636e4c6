package backfill

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// State is what Slurm decides on.
type State struct {
	Now time.Duration
	// Nodes have free what Running leaves.
	Nodes   []machine.Node
	Running []machine.Holding
	// Queue is in the order of priority.
	Queue    []bidding.Job
	Licences machine.Licences
}

// Options of sched/backfill.
type Options struct {
	// Reservations is the number of jobs that get a reservation; 0 means all jobs, as
	// in Slurm.
	Reservations int
	// Resolution is bf_resolution.
	Resolution time.Duration
	// Window is bf_window: a job that would start later than so long after now gets no
	// reservation. 0 means that there is no such limit.
	Window time.Duration
}

// Start is when and where a job of the queue would start.
type Start struct {
	Job int
	// At is on the clock of State.Now. Never means that the job does not start at all: it does not fit the machine,
	// or jobs without a time limit hold what it needs. The rest is empty then.
	At    time.Duration
	Never bool
	machine.Allocation
	// After are the running jobs that hold some of the nodes until then, and Behind
	// are the jobs of the queue that run on some of them before.
	After, Behind []int
}

// InOrder returns the starts, now, of the jobs at the head of the queue, up to the
// first that does not fit.
func InOrder(s State) []Start {
	p := newPass(s)
	var starts []Start
	for _, j := range s.Queue {
		a, fits := p.now(j)
		if !fits {
			break
		}
		starts = append(starts, p.start(j, a))
	}
	return starts
}

// Place returns the nodes and cores that Slurm would give a job at once if no other job
// waited, and whether there are any. It does not look at licences.
func Place(nodes []machine.Node, j bidding.Job) (a machine.Allocation, fits bool) {
	return wanted(j).place(nodes, allNodes(len(nodes)))
}

// Plan returns the starts of the first jobs of the queue, as many as count.
func Plan(s State, o Options, count int) []Start {
	p := newPass(s)
	starts := make([]Start, 0, count)
	reserved := 0
	for _, j := range s.Queue[:min(count, len(s.Queue))] {
		at, a, fits := p.earliest(j)
		switch {
		case !fits:
			starts = append(starts, Start{Job: j.ID, Never: true})
		case at == s.Now:
			starts = append(starts, p.start(j, a))
		default:
			start := Start{Job: j.ID, At: at, Allocation: a}
			start.After, start.Behind = p.before(at, a.Nodes)
			starts = append(starts, start)
			if (o.Reservations == 0 || reserved < o.Reservations) && (o.Window == 0 || at <= s.Now+o.Window) {
				reserved++
				p.reserve(j, at, a.Nodes, o.Resolution)
			}
		}
	}
	return starts
}

// never is the end of a job without a time limit.
const never = time.Duration(1<<63 - 1)

// until is when a job that starts at an instant ends at the latest.
func until(at, limit time.Duration) time.Duration {
	if limit <= 0 || limit >= never-at {
		return never
	}
	return at + limit
}
