package auction

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Snapshot is the state that one auction decides on. It is read only.
type Snapshot struct {
	// Nodes are all nodes of the machine in natural name order; bids name nodes by
	// their index.
	Nodes []machine.Node
	// Jobs is the window in priority order, J of the papers.
	Jobs []bidding.Job
	// Weighted says that P_j of the papers' objectives are the jobs' priorities, as
	// under priority/multifactor; these must be whole numbers from 1. Otherwise P_j
	// are [Ranks].
	Weighted bool `json:",omitempty"`
	// Licences are those that are free. Of a licence that is not listed none is free.
	Licences machine.Licences
	// Running are the running jobs that have a time limit, with their ends on the
	// clock of Now. Only [Guard] and the reservation look at them, and take it that
	// jobs which are not listed never end.
	Running []machine.Holding
	Now     time.Duration `json:",omitempty"`
	// Reservation is set by [Auction], for the rows that [Formulate] writes; callers
	// leave it nil.
	Reservation *Reservation
	// Whole are those of exclusive jobs, and set like it.
	Whole []*Reservation `json:",omitempty"`
}

// Generator makes the bids of our own auction for the snapshot's jobs.
func (s Snapshot) Generator(o bidding.BidOptions) *bidding.Generator {
	return bidding.NewGenerator(s.Nodes, s.Jobs, s.Licences, o)
}

// Bids makes the bids of class A, B and C of the snapshot's jobs, and SLURM bids, and
// tells how many candidates of each job the limits drop.
func (s Snapshot) Bids(o bidding.BidOptions) ([]bidding.Bid, bidding.Dropped) {
	return s.bids(s.Generator(o), o)
}

// bids is Bids with the generator for these options.
func (s Snapshot) bids(g *bidding.Generator, o bidding.BidOptions) ([]bidding.Bid, bidding.Dropped) {
	if o.Papers {
		return PaperBids(s.Nodes, s.Jobs, s.Licences, o)
	}
	return g.Bids()
}

// Validate returns an error that names every fault of the snapshot.
func (s Snapshot) Validate() error {
	var faults []error
	for _, n := range s.Nodes {
		faults = append(faults, n.Validate())
		if levels := len(s.Nodes[0].Switches); len(n.Switches) != levels || slices.ContainsFunc(n.Switches, func(s int) bool { return s < 0 }) {
			faults = append(faults, fmt.Errorf("check node %s: switches %v, allowed are %d from 0 upwards, as on all nodes", n.Name, n.Switches, levels))
		}
	}
	seen := make(map[int]bool, len(s.Jobs))
	for i, j := range s.Jobs {
		faults = append(faults, j.Validate())
		if seen[j.ID] {
			faults = append(faults, fmt.Errorf("check job %d: it is in the window twice", j.ID))
		}
		seen[j.ID] = true
		for _, n := range slices.Concat(j.Options.Required, j.Options.Excluded, j.Options.Barred) {
			if n < 0 || n >= len(s.Nodes) {
				faults = append(faults, fmt.Errorf("check job %d: it names node %d, allowed are indices of the %d nodes", j.ID, n, len(s.Nodes)))
			}
		}
		if s.Weighted && (j.Priority < 1 || j.Priority != math.Trunc(j.Priority)) {
			faults = append(faults, fmt.Errorf("check job %d: priority %g, allowed are whole numbers from 1", j.ID, j.Priority))
		}
		if i > 0 && j.Priority > s.Jobs[i-1].Priority {
			faults = append(faults, fmt.Errorf("check job %d: priority %g above %g of job %d before it, allowed is falling order",
				j.ID, j.Priority, s.Jobs[i-1].Priority, s.Jobs[i-1].ID))
		}
	}
	return errors.Join(faults...)
}

// Priorities are P_j of the papers' objectives. All are whole numbers from 1, so
// that two different sums of them differ by at least 1.
func (s Snapshot) Priorities() []float64 {
	if !s.Weighted {
		return Ranks(s.Jobs)
	}
	all := make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		all[i] = j.Priority
	}
	return all
}

// Ranks replaces the priorities by P_j = 1 + the number of jobs in the window
// with a lower priority: |J| for the first job down to 1 for the last, equal
// priorities staying equal.
//
// The priorities of Slurm's priority/basic start at 4.29e9 and fall by one from job
// to job. Relative differences below 1e-7 are smaller than a solver's tolerances, so
// that a solver would take any solution with the right number of jobs for an optimum.
// Ranks keep the order and are small whole numbers with P_min = 1. Two different sums
// of them differ by at least P_min, which inequality (9) of AUCSCHED needs to keep
// preferences from outweighing priorities.
func Ranks(jobs []bidding.Job) []float64 {
	ranks := make([]float64, len(jobs))
	for i, j := range jobs {
		ranks[i] = 1
		for _, other := range jobs {
			if other.Priority < j.Priority {
				ranks[i]++
			}
		}
	}
	return ranks
}
