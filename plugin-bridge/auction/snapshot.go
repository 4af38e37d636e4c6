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
	// Weighted says that the jobs' priorities are numbers of priority/multifactor, whole ones from 1. Otherwise they
	// are of priority/basic.
	Weighted bool `json:",omitempty"`
	// Reading says what P_j of the papers' objectives are.
	Reading Reading `json:",omitempty"`
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
		} else if s.Reading == ReadLiteral && j.Priority != math.Trunc(j.Priority) {
			faults = append(faults, fmt.Errorf("check job %d: priority %g, allowed are whole numbers", j.ID, j.Priority))
		}
		if i > 0 && j.Priority > s.Jobs[i-1].Priority {
			faults = append(faults, fmt.Errorf("check job %d: priority %g above %g of job %d before it, allowed is falling order",
				j.ID, j.Priority, s.Jobs[i-1].Priority, s.Jobs[i-1].ID))
		}
	}
	return errors.Join(faults...)
}
