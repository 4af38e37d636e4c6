package bidding

import (
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Need is one way to spread a job over nodes, with the nodes that would do. Each
// node of the machine is counted once: as found, or under the first reason that
// rules it out, in the order of the fields below.
type Need struct {
	// Alternative is the request that is spread in this way, see Job.With.
	Alternative int
	// Nodes is the number of nodes wanted, Cores and GPUs what each of them must
	// have free. Idle nodes must have all cores free, Exclusive ones the GPUs too.
	Nodes, Cores, GPUs int
	Idle, Exclusive    bool

	// Found is the number of nodes that would do, Longest the length of the
	// longest block of these.
	Found, Longest int
	// Switches is how many leaf switches the job allows (--switches), 0 for any number. Below is the largest number
	// of found nodes below so many leaf switches. For a contiguous job these must also be one block.
	Switches, Below int
	// Options counts the nodes that the partition, the features or --exclude rule out, Barred others that
	// reservations of Slurm keep from the job. FewCores and FewGPUs count nodes with too little free, Busy nodes that
	// are not idle though they must be, and FewMemory nodes with too little memory.
	Options, Barred, FewCores, FewGPUs, Busy, FewMemory int
	// Missing are the required nodes (--nodelist) that are not among the found.
	Missing []int
}

// Met reports whether there are nodes enough. A job none of whose needs is met has
// no bid of class A, B or C. A job with a need that is met may still have none: the
// required nodes may lie too far apart, or the placement rule may give no layout on
// the nodes.
func (n Need) Met(contiguous bool) bool {
	return len(n.Missing) == 0 && n.Short(contiguous) <= 0
}

// Short is the number of nodes that the need is short of, 0 or less if none.
func (n Need) Short(contiguous bool) int {
	found := n.Found
	if contiguous {
		found = n.Longest
	}
	if n.Switches > 0 {
		found = n.Below
	}
	return n.Nodes - found
}

// Needs returns the ways in which a job could be spread over the nodes, in the
// order in which bids are spent on them. There are none if the job does not fit
// the machine even when that is idle. Of the options only FewestNodes matters.
func Needs(nodes []machine.Node, job Job, o BidOptions) []Need {
	own, whole := newShaper(nodes, job.Options, math.MaxInt, o.FewestNodes), newShaper(nodes, JobOptions{}, math.MaxInt, o.FewestNodes)
	r, t := newRule(job.Options), newTree(nodes)
	var all []Need
	for _, c := range job.Choices() {
		shapes := own.shapes(c.Job)
		if len(shapes) == 0 {
			// So that the counts say which option leaves too few nodes.
			shapes = whole.shapes(c.Job)
		}
		for _, sh := range shapes {
			n := Need{
				Alternative: c.Alternative, Nodes: sh.nodes, Cores: max(1, sh.need), GPUs: sh.gpus,
				Idle: sh.idle, Exclusive: sh.exclusive,
			}
			found := n.count(nodes, r)
			if allowed := r.options.Switches; allowed > 0 && len(t) > 0 {
				n.Switches, n.Below = allowed, t[0].most(found, allowed, job.Contiguous)
			}
			all = append(all, n)
		}
	}
	return all
}

// count counts the nodes, and returns the indices of those that would do.
func (n *Need) count(nodes []machine.Node, r rule) (found []int) {
	block := 0
	for i, node := range nodes {
		counter := n.counter(i, node, r)
		*counter++
		if counter != &n.Found {
			block = 0
			if slices.Contains(r.options.Required, i) {
				n.Missing = append(n.Missing, i)
			}
			continue
		}
		found = append(found, i)
		block++
		n.Longest = max(n.Longest, block)
	}
	return found
}

// counter returns the field of the need that counts a node.
func (n *Need) counter(i int, node machine.Node, r rule) *int {
	o := r.options
	switch {
	case !o.suits(i, node):
		return &n.Options
	case !o.Admits(i, node):
		return &n.Barred
	case node.FreeCores < n.Cores:
		return &n.FewCores
	case node.FreeGPUs < n.GPUs:
		return &n.FewGPUs
	case (n.Idle || n.Exclusive) && !node.Idle(), n.Exclusive && !node.WhollyFree():
		return &n.Busy
	case node.FreeMemory < o.MemoryPerNode+o.MemoryPerCore*n.Cores:
		return &n.FewMemory
	default:
		return &n.Found
	}
}
