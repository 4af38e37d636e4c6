package realise

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/formulation"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// drawn is a snapshot and wishes that oversell no node, as a solver's point is.
func drawn(t *rapid.T) (auction.Snapshot, []Wish) {
	var s auction.Snapshot
	for range rapid.IntRange(1, 8).Draw(t, "nodes") {
		n := nodeset.Node{Cores: rapid.IntRange(1, 8).Draw(t, "cores"), GPUs: 2}
		n.FreeCores, n.FreeGPUs = rapid.IntRange(0, n.Cores).Draw(t, "free"), rapid.IntRange(0, 2).Draw(t, "free GPUs")
		s.Nodes = append(s.Nodes, n)
	}
	left := slices.Clone(s.Nodes)
	var wishes []Wish
	for j := range rapid.IntRange(1, 6).Draw(t, "jobs") {
		job := auction.Job{ID: j, Priority: float64(-j), Contiguous: rapid.Bool().Draw(t, "contiguous"), GPUs: rapid.IntRange(0, 2).Draw(t, "GPUs")}
		w := Wish{Allocation: formulation.Allocation{Job: j, GPUs: job.GPUs}, Movable: rapid.Bool().Draw(t, "movable"), Class: auction.ClassFree}
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
		job.Cores = w.tasks()
		s.Jobs = append(s.Jobs, job)
		if len(w.Nodes) > 0 {
			wishes = append(wishes, w)
		}
	}
	return s, wishes
}

// TestRealiseProperties: every wish ends as one bid or one deferral; the bids,
// played through, are what the placement rule gives (SLURM.md section 3), also
// when running jobs end before, unless they are of class R; no node is oversold;
// each job has its number of cores, nodes and GPUs, and its block.
func TestRealiseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, wishes := drawn(t)
		got := Realise(s, wishes)
		if len(got.Ordered)+len(got.Deferred) != len(wishes) {
			t.Fatalf("%d bids and %d deferrals for %d wishes", len(got.Ordered), len(got.Deferred), len(wishes))
		}
		// left is what the winners leave if nothing else ends, more if all running
		// jobs do and no bid of class R starts.
		left, more := slices.Clone(s.Nodes), slices.Clone(s.Nodes)
		for i := range more {
			more[i].FreeCores = more[i].Cores
		}
		for _, bid := range got.Ordered {
			at := slices.IndexFunc(wishes, func(w Wish) bool { return w.Job == bid.Job })
			w, job := wishes[at], s.Jobs[bid.Job]
			wishes = slices.Delete(wishes, at, at+1)
			if bid.Request().Tasks != w.tasks() || len(bid.Nodes) != len(w.Nodes) || bid.GPUs != w.GPUs {
				t.Fatalf("job %d: %v for %v", bid.Job, bid, w)
			}
			if job.Contiguous && bid.Nodes[len(bid.Nodes)-1]-bid.Nodes[0] != len(bid.Nodes)-1 {
				t.Fatalf("job %d is no block: %v", bid.Job, bid)
			}
			if !w.Movable && !slices.Equal(bid.Nodes, w.Nodes) {
				t.Fatalf("job %d was moved: %v for %v", bid.Job, bid, w)
			}
			states := [][]nodeset.Node{left, more}
			if bid.Class == auction.ClassR {
				states = states[:1]
			}
			for _, state := range states {
				free := make([]int, len(bid.Nodes))
				for i, n := range bid.Nodes {
					free[i] = state[n].FreeCores
				}
				cores, err := auction.Place(free, bid.Request())
				if err != nil || !slices.Equal(cores, bid.Cores) {
					t.Fatalf("job %d: %v, on %v Slurm gives %v, %v", bid.Job, bid, free, cores, err)
				}
			}
			for i, n := range bid.Nodes {
				left[n].FreeCores -= bid.Cores[i]
				if bid.Class != auction.ClassR {
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
