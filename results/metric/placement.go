package metric

import (
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Fragmentation is the number of contiguous blocks in ascending node indices
// (AUCSCHED 6.2: "Number of contiguous node blocks allocated to a job"): 1 for
// a contiguous job, 0 for no nodes.
func Fragmentation(nodes []int) int {
	blocks := 0
	for i, n := range nodes {
		if i == 0 || n != nodes[i-1]+1 {
			blocks++
		}
	}
	return blocks
}

// Spread is (last index - first index + 1) / number of nodes of ascending node
// indices (AUCSCHED 6.2): 1 for a contiguous job, more for others, 0 for no
// nodes.
func Spread(nodes []int) float64 {
	if len(nodes) == 0 {
		return 0
	}
	return float64(nodes[len(nodes)-1]-nodes[0]+1) / float64(len(nodes))
}

// Packing is the number of allocated nodes / the fewest nodes that the job could have got. IPSCHED section VI: "the
// ratio of the actual number of allocated nodes to the minimum number of nodes that could be allocated." The fewest
// are the cores asked for over the cores that one node may give, rounded up, and not fewer than the nodes asked for.
// A node may give all of its cores, or fewer when the job limits its cores per node. GPUs are asked for per node and
// so never need a further node.
func Packing(m workloads.Machine, j trace.FinishedJob) float64 {
	return float64(len(j.Allocated)) / float64(fewestNodes(m, j.Job))
}

// fewestNodes takes the nodes with most cores of those that the job may have first. The job
// must fit on a machine whose nodes differ.
func fewestNodes(m workloads.Machine, j workloads.Job) int {
	left, nodes := j.Cores, 0
	if m.Unequal() {
		for _, k := range m.Hosts(j) {
			take := min(k.Count, (left+k.Cores-1)/k.Cores)
			nodes, left = nodes+take, max(0, left-take*k.Cores)
		}
	}
	perNode := coresPerNode(m, j)
	return max(j.Nodes, nodes+(left+perNode-1)/perNode, 1)
}

// coresPerNode is the most cores that the job may have on one node.
func coresPerNode(m workloads.Machine, j workloads.Job) int {
	if m.Unequal() {
		if hosts := m.Hosts(j); len(hosts) > 0 {
			return hosts[0].Cores
		}
	}
	if j.CoresPerNode > 0 {
		return min(j.CoresPerNode, m.Cores)
	}
	return m.Cores
}

// SwitchSpread is the number of leaf switches that the nodes, given by their indices, are connected to, divided by
// the fewest that as many nodes need. It is 1 for a job that crosses no more switches than it must. nodes must not be empty. The switch spread is the inverse of the leaf switches' factor in the auction's
// preference for bids (docs/design/009).
func SwitchSpread(leaves workloads.Leaves, nodes []int) float64 {
	used, fewest := leaves.Switches(nodes)
	return float64(used) / float64(fewest)
}

// Records adds fragmentation, spread and packing to each job for jobs.csv. They
// are -1 for a job that never started.
func Records(m workloads.Machine, jobs []trace.FinishedJob) []trace.JobRecord {
	records := make([]trace.JobRecord, len(jobs))
	for i, j := range jobs {
		records[i] = trace.JobRecord{FinishedJob: j, Fragmentation: -1, Spread: -1, Packing: -1}
		if j.Started() {
			records[i].Fragmentation = Fragmentation(j.Allocated)
			records[i].Spread = Spread(j.Allocated)
			records[i].Packing = Packing(m, j)
		}
	}
	return records
}
