package auction

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// Deferral is a winner that is left for a later auction.
type Deferral struct {
	Bid    Bid
	Reason string
}

// Order returns the order in which Slurm must start the winners so that each
// gets its planned cores, and those winners for which there is none.
//
// Slurm starts jobs strictly in release order and lays each out by the free
// cores it finds. Bids whose layout depends on those therefore go first, while
// the snapshot is still true: packed ones, then balanced ones, then uniform
// ones, which need no more than their own cores; class R last, behind the bids
// whose rest they take. Within a kind the order is that of the window.
//
// The order is checked by playing it through with [Place]: a winner that would
// not fit, would get other cores than planned, or (unless it is of class R)
// could get others when a running job ends before its start, is deferred. So
// the result, played through, oversells no node and is exactly as planned.
func Order(s Snapshot, winners []Bid) (ordered []Bid, deferred []Deferral) {
	sorted := slices.Clone(winners)
	slices.SortStableFunc(sorted, func(a, b Bid) int {
		if d := rankOf(a) - rankOf(b); d != 0 {
			return d
		}
		return a.Job - b.Job
	})
	left := slices.Clone(s.Nodes)
	for _, b := range sorted {
		if reason := refuse(s.Nodes, left, b); reason != "" {
			deferred = append(deferred, Deferral{Bid: b, Reason: reason})
			continue
		}
		take(left, b)
		ordered = append(ordered, b)
	}
	return ordered, deferred
}

// rankOf is the place of a kind of bid in the release order.
func rankOf(b Bid) int {
	switch {
	case b.Class == ClassR:
		return 3
	case b.TasksPerNode > 0 || b.Exclusive:
		return 2
	case b.MinCores > 0:
		return 1
	default:
		return 0
	}
}

// refuse returns why a bid must not be started when the given nodes are left
// of the snapshot, or nothing.
func refuse(snapshot, left []nodeset.Node, b Bid) string {
	free, total := make([]int, len(b.Nodes)), make([]int, len(b.Nodes))
	for i, n := range b.Nodes {
		if left[n].FreeGPUs < b.GPUs {
			return fmt.Sprintf("node %s has %d free GPUs of %d needed", left[n].Name, left[n].FreeGPUs, b.GPUs)
		}
		if left[n].FreeMemory < b.Memory(i) {
			return fmt.Sprintf("node %s has %d MiB of free memory of %d needed", left[n].Name, left[n].FreeMemory, b.Memory(i))
		}
		if b.Exclusive && (left[n].FreeCores < left[n].Cores || left[n].FreeGPUs < left[n].GPUs) {
			return fmt.Sprintf("node %s is not wholly free", left[n].Name)
		}
		free[i] = left[n].FreeCores
		// Running jobs may end, but the winners before this one will not.
		total[i] = snapshot[n].Cores - (snapshot[n].FreeCores - left[n].FreeCores)
	}
	if b.Exclusive {
		return ""
	}
	cores, err := Place(free, b.Request())
	switch {
	case err != nil:
		return err.Error()
	case !slices.Equal(cores, b.Cores):
		return fmt.Sprintf("planned cores %s, the placement rule gives %s", RunLength(b.Cores), RunLength(cores))
	case b.Class != ClassR && !Stable(free, total, b.Request()):
		return fmt.Sprintf("planned cores %s would change if a running job ended", RunLength(b.Cores))
	}
	return ""
}
