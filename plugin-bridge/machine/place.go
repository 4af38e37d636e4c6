package machine

import (
	"fmt"
	"slices"
)

// Request is how Slurm is asked for a bid beside its node list:
// NumNodes=len(nodes), NumCPUs=Tasks and one of the two options below.
type Request struct {
	// Tasks is n: single-core tasks over all nodes.
	Tasks int
	// MinCores is MinCPUsNode; 0 stands for Slurm's default of 1.
	MinCores int
	// TasksPerNode is TasksPerNode; 0 leaves it out. It excludes MinCores.
	TasksPerNode int
	// MemoryPerCore is what the job needs with each core, in MiB, 0 for none. A [Sequence] looks at it;
	// for [Place] the free cores are those for which the memory is enough.
	MemoryPerCore int
}

// Requests returns the ways to ask Slurm for n tasks on k nodes: first those that give
// equal cores on each node, last those that fill node after node.
func Requests(n, k, coresPerNode int) []Request {
	if coresPerNode > 0 {
		return []Request{{Tasks: n, TasksPerNode: coresPerNode}}
	}
	var all []Request
	if n%k == 0 {
		all = append(all, Request{Tasks: n, TasksPerNode: n / k})
	}
	for m := n / k; m >= 0; m-- {
		if m != 1 {
			// A minimum of 1 is Slurm's default, which 0 stands for.
			all = append(all, Request{Tasks: n, MinCores: m})
		}
	}
	return all
}

// Place is the rule by which Slurm 24.11.5 (select/cons_tres, CR_Core, one task per core) spreads a job over nodes
// that it is required to use. free holds the free cores of exactly those nodes in natural name order. The result
// holds the cores taken from each, T_in of AUCSCHED2.
//
// With k nodes and R = n, for j = 1..k:
//
//	cap = R - (k - j)                     leaves one core for each later node
//	c_j = f_j if f_j <= cap else max(cap, m)
//	R  -= c_j
//
// Then each node gets one core, and further cores go round-robin up to c_j
// until n are placed. TasksPerNode=t gives t everywhere.
//
// A request that Slurm would not run on these nodes, or would change, is an error. That is a node without max(1, m)
// free cores, fewer tasks than nodes, not enough free cores, or t*k != n. It is also m*k > n, because updating a job
// then raises its NumCPUs to m*k (_update_job in src/slurmctld/job_mgr.c).
func Place(free []int, r Request) ([]int, error) {
	k := len(free)
	switch {
	case k == 0:
		return nil, fmt.Errorf("place %d tasks: no nodes", r.Tasks)
	case r.Tasks < k:
		return nil, fmt.Errorf("place %d tasks: fewer than the %d nodes", r.Tasks, k)
	case r.TasksPerNode > 0 && r.MinCores > 0:
		return nil, fmt.Errorf("place %d tasks: both tasks per node %d and minimum cores %d given", r.Tasks, r.TasksPerNode, r.MinCores)
	case r.TasksPerNode > 0 && r.TasksPerNode*k != r.Tasks:
		return nil, fmt.Errorf("place %d tasks: %d nodes with %d tasks each hold %d", r.Tasks, k, r.TasksPerNode, r.TasksPerNode*k)
	case r.MinCores*k > r.Tasks:
		return nil, fmt.Errorf("place %d tasks: minimum cores %d on %d nodes raise the job to %d", r.Tasks, r.MinCores, k, r.MinCores*k)
	}
	least := max(1, r.MinCores, r.TasksPerNode)
	for j, f := range free {
		if f < least {
			return nil, fmt.Errorf("place %d tasks: node %d of the list has %d free cores of %d needed", r.Tasks, j+1, f, least)
		}
	}
	if r.TasksPerNode > 0 {
		return slices.Repeat([]int{r.TasksPerNode}, k), nil
	}
	limits := coreLimits(free, r)
	if !fill(limits, r.Tasks) {
		return nil, fmt.Errorf("place %d tasks: the nodes have too few free cores", r.Tasks)
	}
	return limits, nil
}

// coreLimits returns c_j of the placement rule.
func coreLimits(free []int, r Request) []int {
	limits := make([]int, len(free))
	left := r.Tasks
	for j, f := range free {
		limits[j] = min(f, coreCap(left, len(free)-1-j, r.MinCores))
		left -= limits[j]
	}
	return limits
}

// coreCap is what the rule takes at most from a node when left tasks remain
// and later nodes follow. With f >= m, "f if f <= cap else max(cap, m)" is
// min(f, max(cap, m)).
func coreCap(left, later, minCores int) int {
	return max(left-later, minCores, 1)
}

// fill turns the limits c_j into the cores of a round-robin of n tasks. It reports false if the limits hold fewer
// than n. Each round gives one core to every node below its limit. So after all whole rounds the nodes stand at
// min(c_j, level), and the tasks left go to the first nodes with room.
func fill(limits []int, n int) bool {
	most, sum := 0, 0
	for _, c := range limits {
		most = max(most, c)
		sum += c
	}
	if sum < n {
		return false
	}
	// above[v] counts the nodes that take part in round v.
	above := make([]int, most+2)
	for _, c := range limits {
		above[c]++
	}
	for v := most - 1; v >= 0; v-- {
		above[v] += above[v+1]
	}
	level := 0
	for level < most && n >= above[level+1] {
		level++
		n -= above[level]
	}
	for j, c := range limits {
		limits[j] = min(c, level)
		if n > 0 && c > level {
			limits[j]++
			n--
		}
	}
	return true
}
