package auction

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Deferral is a winner that is left for a later auction.
type Deferral struct {
	Bid    bidding.Bid
	Reason string
}

// Arrangement is how Slurm is asked for the winners of a program.
type Arrangement struct {
	// Ordered are to be started in exactly this order, Deferred in a later cycle.
	Ordered  []bidding.Bid
	Deferred []Deferral
	// Rearranged counts the bids of Ordered that have other cores than the winners.
	Rearranged int
}

// Order returns the order in which Slurm must start the winners so that each
// gets its planned cores, and the winners for which there is no such order.
//
// Slurm starts jobs strictly in the order of release and lays each out by the cores that it finds free. Bids whose
// layout depends on what is free therefore go first, while the snapshot is still true: packed ones first, then
// balanced ones. Then come uniform ones, for which it is enough that their own cores are free. Class R comes last and
// takes what other bids leave. Within each of these kinds the order follows the window.
//
// Order plays the starts through with [machine.Sequence]. It defers a winner that would not fit, or would get other
// cores than planned, or could get others if a running job ended before its start. The last does not hold for class
// R. So the result, played through, oversells no node and is exactly as planned.
func Order(s Snapshot, winners []bidding.Bid) (ordered []bidding.Bid, deferred []Deferral) {
	sorted := slices.Clone(winners)
	slices.SortStableFunc(sorted, func(a, b bidding.Bid) int {
		if d := rankOf(a) - rankOf(b); d != 0 {
			return d
		}
		return a.Job - b.Job
	})
	starts := machine.NewSequence(s.Nodes)
	for _, b := range sorted {
		if reason := refuse(starts, b); reason != "" {
			deferred = append(deferred, Deferral{Bid: b, Reason: reason})
			continue
		}
		starts.Take(b.Allocation, b.Class != bidding.ClassR)
		ordered = append(ordered, b)
	}
	return ordered, deferred
}

// rankOf returns the rank of a bid's kind in the order of release: bids of a lower
// rank are started first.
func rankOf(b bidding.Bid) int {
	switch {
	case b.Class == bidding.ClassR:
		return 3
	case b.TasksPerNode > 0 || b.Exclusive:
		return 2
	case b.MinCores > 0:
		return 1
	default:
		return 0
	}
}

// refuse returns why a bid must not be started next, or "" if it may be.
func refuse(starts *machine.Sequence, b bidding.Bid) string {
	left := starts.Left()
	for i, n := range b.Nodes {
		if left[n].FreeGPUs < b.GPUs {
			return fmt.Sprintf("node %s has %d free GPUs of %d needed", left[n].Name, left[n].FreeGPUs, b.GPUs)
		}
		if left[n].FreeMemory < b.Memory(i) {
			return fmt.Sprintf("node %s has %d MiB of free memory of %d needed", left[n].Name, left[n].FreeMemory, b.Memory(i))
		}
		if b.Exclusive && !left[n].WhollyFree() {
			return fmt.Sprintf("node %s is not wholly free", left[n].Name)
		}
	}
	if b.Exclusive {
		return ""
	}
	cores, err := starts.Place(b.Nodes, b.Request())
	switch {
	case err != nil:
		return err.Error()
	case !slices.Equal(cores, b.Cores):
		return fmt.Sprintf("planned cores %s, the placement rule gives %s", machine.RunLength(b.Cores), machine.RunLength(cores))
	case b.Class != bidding.ClassR && !starts.Stable(b.Nodes, b.Request()):
		return fmt.Sprintf("planned cores %s would change if a running job ended", machine.RunLength(b.Cores))
	}
	return ""
}
