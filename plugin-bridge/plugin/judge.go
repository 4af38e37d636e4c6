package plugin

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// judge plays the starts of an answer one after the other.
type judge struct {
	snapshot auction.Snapshot
	starts   *machine.Sequence
	jobs     map[int]int // index in the window by number
	nodes    map[string]int
	taken    map[int]bool
}

func newJudge(s auction.Snapshot) *judge {
	j := &judge{
		snapshot: s, starts: machine.NewSequence(s.Nodes),
		jobs: make(map[int]int, len(s.Jobs)), nodes: make(map[string]int, len(s.Nodes)), taken: map[int]bool{},
	}
	for i, job := range s.Jobs {
		j.jobs[job.ID] = i
	}
	for i, n := range s.Nodes {
		j.nodes[n.Name] = i
	}
	return j
}

// Judge returns the bids for the starts of an answer that Slurm can be asked for, in the
// answer's order, and the faults of the others.
func Judge(s auction.Snapshot, a Answer) ([]bidding.Bid, []Fault) {
	j := newJudge(s)
	var bids []bidding.Bid
	var faults []Fault
	for _, start := range a.Start {
		bid, fault := j.start(start)
		if fault != nil {
			faults = append(faults, *fault)
			continue
		}
		bids = append(bids, bid)
	}
	for _, r := range a.Reserve {
		if _, fault := j.waiting(r.Job); fault != nil {
			faults = append(faults, *fault)
			continue
		}
		if _, fault := j.indices(r.Job, r.Nodes); fault != nil {
			faults = append(faults, *fault)
		}
	}
	return bids, faults
}

// start judges one start and takes its alloc.
func (j *judge) start(s Start) (bidding.Bid, *Fault) {
	at, fault := j.waiting(s.Job)
	if fault != nil {
		return bidding.Bid{}, fault
	}
	job := j.snapshot.Jobs[at]
	nodes, fault := j.indices(s.Job, s.Nodes)
	if fault != nil {
		return bidding.Bid{}, fault
	}
	nodes, cores := ascending(nodes, s.Cores)
	gpus := job.GPUs
	if s.GPUs != nil {
		gpus = *s.GPUs
	}
	alloc := machine.Allocation{Nodes: nodes, Cores: cores, GPUs: gpus}
	if fault = j.allowed(job, alloc); fault != nil {
		return bidding.Bid{}, fault
	}
	if fault = j.free(job, alloc); fault != nil {
		return bidding.Bid{}, fault
	}
	bid, fault := j.layOut(job, alloc)
	if fault != nil {
		return bid, fault
	}
	bid.Job = at
	j.starts.Take(bid.Allocation, bid.Class != bidding.ClassR)
	j.taken[s.Job] = true
	return bid, nil
}

// waiting returns the index in the window of a job that may start.
func (j *judge) waiting(id int) (int, *Fault) {
	at, known := j.jobs[id]
	switch {
	case id == 0:
		return 0, faultf(KindUnknownJob, 0, "the field job is missing")
	case j.taken[id]:
		return 0, faultf(KindUnknownJob, id, "the answer starts it already")
	case known:
		return at, nil
	case slices.ContainsFunc(j.snapshot.Running, func(h machine.Holding) bool { return h.Job == id }):
		return 0, faultf(KindUnknownJob, id, "it runs already")
	default:
		return 0, faultf(KindUnknownJob, id, "it is not in the queue of the snapshot")
	}
}

// indices finds nodes by their names.
func (j *judge) indices(job int, names []string) ([]int, *Fault) {
	all := make([]int, len(names))
	seen := make(map[int]bool, len(names))
	for i, name := range names {
		n, known := j.nodes[name]
		if !known {
			return nil, faultf(KindImpossible, job, "there is no node %q", name)
		}
		if seen[n] {
			return nil, faultf(KindImpossible, job, "it gets node %s twice", name)
		}
		all[i], seen[n] = n, true
	}
	return all, nil
}

// ascending brings nodes, and the cores that belong to them, into the order of the machine.
// Cores of another number than the nodes' stay as they are.
func ascending(nodes, cores []int) (sorted, belonging []int) {
	if len(cores) != len(nodes) {
		return slices.Sorted(slices.Values(nodes)), cores
	}
	order := make([]int, len(nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return nodes[a] - nodes[b] })
	for _, i := range order {
		sorted, belonging = append(sorted, nodes[i]), append(belonging, cores[i])
	}
	return sorted, belonging
}

// free says where too little is free, as far as that does not depend on the layout.
func (j *judge) free(job bidding.Job, alloc machine.Allocation) *Fault {
	left := j.starts.Left()
	sum := 0
	for i, n := range alloc.Nodes {
		node := left[n]
		wanted := max(1, job.CoresPerNode)
		if alloc.Cores != nil {
			wanted = alloc.Cores[i]
		}
		if node.FreeCores < wanted {
			return faultf(KindOversold, job.ID, "node %s has %d free cores of %d needed", node.Name, node.FreeCores, wanted)
		}
		if node.FreeGPUs < alloc.GPUs {
			return faultf(KindOversold, job.ID, "node %s has %d free GPUs of %d needed", node.Name, node.FreeGPUs, alloc.GPUs)
		}
		sum += node.FreeCores
	}
	if sum < job.Tasks() {
		return faultf(KindOversold, job.ID, "its nodes have %d free cores of %d needed", sum, job.Tasks())
	}
	return nil
}

// layOut finds a request by which Slurm gives the job its cores on the nodes: one whose
// layout does not change when running jobs end before the start, if there is one.
func (j *judge) layOut(job bidding.Job, alloc machine.Allocation) (bidding.Bid, *Fault) {
	var unstable *bidding.Bid
	var offered []int
	for _, r := range machine.Requests(job.Tasks(), len(alloc.Nodes), job.CoresPerNode) {
		cores, err := j.starts.Place(alloc.Nodes, r)
		if err != nil {
			continue
		}
		if alloc.Cores != nil && !slices.Equal(cores, alloc.Cores) {
			offered = cores
			continue
		}
		bid := bidding.Bid{Class: bidding.ClassFree, Allocation: alloc, TasksPerNode: r.TasksPerNode, MinCores: r.MinCores, Preference: 1}
		bid.Cores = cores
		if j.starts.Stable(alloc.Nodes, r) {
			return bid, nil
		}
		if unstable == nil {
			bid.Class = bidding.ClassR
			unstable = &bid
		}
	}
	switch {
	case unstable != nil:
		return *unstable, nil
	case offered != nil:
		return bidding.Bid{}, faultf(KindImpossible, job.ID, "Slurm cannot be asked for cores %s on these nodes, but for %s", machine.RunLength(alloc.Cores), machine.RunLength(offered))
	default:
		return bidding.Bid{}, faultf(KindOversold, job.ID, "Slurm's layout finds no room for %d cores on these nodes", job.Tasks())
	}
}
