package papers

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// drawn is a snapshot and allocations that oversell no node, as a solver's point is.
func drawn(t *rapid.T) (auction.Snapshot, []chosenCores) {
	var s auction.Snapshot
	for range rapid.IntRange(1, 8).Draw(t, "nodes") {
		n := machine.Node{Cores: rapid.IntRange(1, 8).Draw(t, "cores"), GPUs: 2}
		n.FreeCores, n.FreeGPUs = rapid.IntRange(0, n.Cores).Draw(t, "free"), rapid.IntRange(0, 2).Draw(t, "free GPUs")
		s.Nodes = append(s.Nodes, n)
	}
	left := slices.Clone(s.Nodes)
	var allocations []chosenCores
	for j := range rapid.IntRange(1, 6).Draw(t, "jobs") {
		job := bidding.Job{ID: j, Priority: float64(-j), Contiguous: rapid.Bool().Draw(t, "contiguous"), GPUs: rapid.IntRange(0, 2).Draw(t, "GPUs")}
		w := chosenCores{Job: j, Allocation: machine.Allocation{GPUs: job.GPUs}, Movable: rapid.Bool().Draw(t, "movable"), Class: bidding.ClassFree, Value: float64(rapid.IntRange(1, 9).Draw(t, "value"))}
		if rapid.Bool().Draw(t, "equal") {
			job.CoresPerNode = rapid.IntRange(1, 4).Draw(t, "per node")
		}
		for n := range left {
			least := max(1, job.CoresPerNode)
			if left[n].FreeCores < least || left[n].FreeGPUs < job.GPUs || !rapid.Bool().Draw(t, "use") {
				continue
			}
			c := job.CoresPerNode
			if c == 0 {
				c = rapid.IntRange(1, left[n].FreeCores).Draw(t, "take")
			}
			left[n].FreeCores -= c
			left[n].FreeGPUs -= job.GPUs
			w.Nodes, w.Cores = append(w.Nodes, n), append(w.Cores, c)
		}
		job.Cores = w.TotalCores()
		s.Jobs = append(s.Jobs, job)
		if len(w.Nodes) > 0 {
			allocations = append(allocations, w)
		}
	}
	return s, allocations
}

// TestRealiseProperties: every allocation ends as one bid or one deferral. The bids, played through, are what the
// placement rule gives (machine.Place), also when running jobs end before, unless they are of class R. No node is
// oversold, and each job has its number of cores, nodes and GPUs, and its block. What starts is worth at least as
// much as the most valuable allocation that needs no other nodes.
func TestRealiseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, allocations := drawn(t)
		got := realise(s, allocations)
		if len(got.ordered)+len(got.deferred) != len(allocations) {
			t.Fatalf("%d bids and %d deferrals for %d allocations", len(got.ordered), len(got.deferred), len(allocations))
		}
		best := 0.0
		for _, a := range allocations {
			if !s.Jobs[a.Job].Contiguous || a.Nodes[len(a.Nodes)-1]-a.Nodes[0] == len(a.Nodes)-1 {
				best = max(best, a.Value)
			}
		}
		if value := started(allocations, got); value < best {
			t.Fatalf("what starts is worth %g, one allocation alone %g", value, best)
		}
		// left is what the winners leave if nothing else ends, more if all running
		// jobs do and no bid of class R starts.
		left, more := slices.Clone(s.Nodes), slices.Clone(s.Nodes)
		for i := range more {
			more[i].FreeCores = more[i].Cores
		}
		for _, bid := range got.ordered {
			at := slices.IndexFunc(allocations, func(w chosenCores) bool { return w.Job == bid.Job })
			w, job := allocations[at], s.Jobs[bid.Job]
			allocations = slices.Delete(allocations, at, at+1)
			if bid.Request().Tasks != w.TotalCores() || len(bid.Nodes) != len(w.Nodes) || bid.GPUs != w.GPUs {
				t.Fatalf("job %d: %v for %v", bid.Job, bid, w)
			}
			if job.Contiguous && bid.Nodes[len(bid.Nodes)-1]-bid.Nodes[0] != len(bid.Nodes)-1 {
				t.Fatalf("job %d is no block: %v", bid.Job, bid)
			}
			if !w.Movable && !slices.Equal(bid.Nodes, w.Nodes) {
				t.Fatalf("job %d was moved: %v for %v", bid.Job, bid, w)
			}
			states := [][]machine.Node{left, more}
			if bid.Class == bidding.ClassR {
				states = states[:1]
			}
			for _, state := range states {
				free := make([]int, len(bid.Nodes))
				for i, n := range bid.Nodes {
					free[i] = state[n].FreeCores
				}
				cores, err := machine.Place(free, bid.Request())
				if err != nil || !slices.Equal(cores, bid.Cores) {
					t.Fatalf("job %d: %v, on %v Slurm gives %v, %v", bid.Job, bid, free, cores, err)
				}
			}
			for i, n := range bid.Nodes {
				left[n].FreeCores -= bid.Cores[i]
				if bid.Class != bidding.ClassR {
					more[n].FreeCores -= bid.Cores[i]
				}
				left[n].FreeGPUs -= bid.GPUs
				if left[n].FreeCores < 0 || left[n].FreeGPUs < 0 {
					t.Fatalf("node %d is oversold by %v", n, bid)
				}
			}
		}
	})
}
