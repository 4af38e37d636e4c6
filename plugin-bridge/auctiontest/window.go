package auctiontest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Sizes is a distribution of job sizes in nodes.
type Sizes int

const (
	// Small sizes are log-uniform from 1 to 16 nodes.
	Small Sizes = iota
	// Medium sizes are log-uniform from 1 % to 10 % of the machine.
	Medium
	// Large sizes are uniform from 1 % to 20 % of the machine.
	Large
)

// Window describes an auction.
type Window struct {
	Nodes, Cores, GPUs int
	Jobs               int
	Sizes              Sizes
	// Utilisation is the part of the cores that running jobs hold, at most.
	Utilisation float64
	Seed        uint64
}

// Snapshot fills the machine with jobs of the same kind as the window's, lets
// four times as many leave and arrive, and ends jobs until the utilisation is
// reached. Half of the jobs need one block of nodes; a third each ask for cores
// alone, for nodes and cores, and for cores per node.
func (w Window) Snapshot() auction.Snapshot {
	g := generator{Window: w, random: rand.New(rand.NewPCG(w.Seed, 7)), nodes: machine.IdleNodes(w.Nodes, w.Cores, w.GPUs)}
	g.fill()
	for range 4 * len(g.running) {
		g.end()
		g.start()
	}
	g.fill()
	for g.used > int(w.Utilisation*float64(w.Nodes*w.Cores)) {
		g.end()
	}
	s := auction.Snapshot{Nodes: g.nodes}
	for i := range w.Jobs {
		j := g.job()
		j.ID, j.Priority = i+1, float64(w.Jobs-i)
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// Problem returns the program of the window with at most bids per job.
func (w Window) Problem(bids int) auction.Problem {
	s := w.Snapshot()
	all, _ := s.Generator(AllKinds(bidding.BidOptions{MaxBidsPerJob: bids, MaxBids: bids * w.Jobs})).Bids()
	return auction.Formulate(s, all, auction.ObjectivePriority)
}

type generator struct {
	Window
	random  *rand.Rand
	nodes   []machine.Node
	running []machine.Allocation
	used    int
}

func (g *generator) size() int {
	low, high := 0.01*float64(g.Nodes), 0.1*float64(g.Nodes)
	switch g.Sizes {
	case Small:
		low, high = 1, 16
	case Large:
		return max(1, int(0.01*float64(g.Nodes)+g.random.Float64()*0.19*float64(g.Nodes)))
	}
	return max(1, int(low*math.Exp(g.random.Float64()*math.Log(high/low))))
}

func (g *generator) job() bidding.Job {
	size := g.size()
	j := bidding.Job{Contiguous: g.random.IntN(2) == 0}
	cores := 1 + g.random.IntN(g.Cores)
	switch g.random.IntN(3) {
	case 0:
		j.Cores = size * cores
	case 1:
		j.Nodes, j.Cores, j.GPUs = size, size*cores, g.random.IntN(g.GPUs+1)
	default:
		j.Nodes, j.CoresPerNode, j.GPUs = size, cores, g.random.IntN(g.GPUs+1)
	}
	return j
}

func (g *generator) fill() {
	for failures := 0; failures < 50; {
		if !g.start() {
			failures++
		}
	}
}

// start runs a job on the first nodes that fit from a random one on, with the
// same number of cores on each.
func (g *generator) start() bool {
	j := g.job()
	nodes, cores := j.Nodes, j.CoresPerNode
	switch {
	case nodes == 0:
		cores = 1 + g.random.IntN(g.Cores)
		nodes = (j.Cores + cores - 1) / cores
	case cores == 0:
		cores = j.Cores / nodes
	}
	first := g.random.IntN(g.Nodes)
	var chosen []int
	for k := 0; k < g.Nodes && len(chosen) < nodes; k++ {
		n := (first + k) % g.Nodes
		switch {
		case g.nodes[n].FreeCores >= cores && g.nodes[n].FreeGPUs >= j.GPUs:
			chosen = append(chosen, n)
		case j.Contiguous:
			chosen = chosen[:0]
		}
	}
	if len(chosen) < nodes {
		return false
	}
	a := machine.Allocation{Nodes: chosen, Cores: slices.Repeat([]int{cores}, nodes), GPUs: j.GPUs}
	machine.Take(g.nodes, a)
	g.used += a.TotalCores()
	g.running = append(g.running, a)
	return true
}

func (g *generator) end() {
	if len(g.running) == 0 {
		return
	}
	i, last := g.random.IntN(len(g.running)), len(g.running)-1
	machine.Give(g.nodes, g.running[i])
	g.used -= g.running[i].TotalCores()
	g.running[i] = g.running[last]
	g.running = g.running[:last]
}
