package slurmtest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

func (c *Cluster) tick() {
	for _, j := range c.jobs {
		if !j.completed.IsZero() && !j.completed.After(c.now) {
			c.complete(j)
		}
	}
	for _, j := range c.jobs {
		if j.state != slurmctl.JobRunning {
			continue
		}
		// Slurm looks at time limits less often than every second; the
		// difference does not matter to jobs with room in their limit.
		switch {
		case j.mishap.State != "" && !j.start.Add(j.mishap.After).After(c.now):
			c.finish(j, j.mishap.State)
		case !j.start.Add(j.runtime).After(c.now):
			c.finish(j, slurmctl.JobCompleted)
		case j.limit > 0 && !j.start.Add(j.limit).After(c.now):
			c.finish(j, slurmctl.JobTimeout)
		}
	}
	c.schedule()
}

// schedule starts what can start. Jobs are tried by descending priority, then
// by id. A job that does not fit blocks all later ones, unless it has a node
// list as long as it needs (_schedule in src/slurmctld/job_scheduler.c,
// sched/builtin).
func (c *Cluster) schedule() {
	var queue []*job
	for _, j := range c.jobs {
		switch {
		case j.state != slurmctl.JobPending || j.priority == 0:
		case j.released.Add(j.mishap.Waits).After(c.now), j.prioritised.Add(j.mishap.Lags).After(c.now):
		case j.begin.After(c.now):
			j.reason = "BeginTime"
		case strings.Contains(c.dependency(j), "(failed)"):
			j.reason = "DependencyNeverSatisfied"
		case c.dependency(j) != "":
			j.reason = "Dependency"
		default:
			queue = append(queue, j)
		}
	}
	slices.SortStableFunc(queue, func(a, b *job) int { return cmp.Compare(b.priority, a.priority) })
	blocked := false
	for _, j := range queue {
		if blocked {
			j.reason = "Priority"
			continue
		}
		if reason := c.beyondPartition(j); reason != "" {
			j.reason = reason
			continue
		}
		if !c.possible(j) {
			j.priority, j.reason = 0, slurmctl.ReasonBadConstraints
			continue
		}
		if !c.start(j) {
			j.reason = "Resources"
			blocked = len(j.required) < j.minNodes
		}
	}
}

// beyondPartition returns the reason of a job that is larger than the whole
// partition. Slurm leaves its priority alone.
func (c *Cluster) beyondPartition(j *job) string {
	switch {
	case j.minNodes > c.config.Nodes:
		return "PartitionNodeLimit"
	case j.cpus > c.config.Nodes*c.config.Cores:
		return "PartitionConfig"
	}
	return ""
}

// possible says whether the job could run on idle nodes.
func (c *Cluster) possible(j *job) bool {
	k, perNode := j.nodeCount(c.config), max(j.minCPUs, j.tasksPerNode)
	return k <= c.config.Nodes && (len(j.required) == 0 || len(j.required) <= k) &&
		perNode <= c.config.Cores && j.cpus <= k*c.config.Cores && j.gpus <= c.config.GPUs
}

// nodeCount is the number of nodes of the job, as far as it is fixed.
func (j *job) nodeCount(config Config) int {
	if j.maxNodes > 0 {
		return j.maxNodes
	}
	return config.Nodes
}

// start allocates nodes and cores if there are enough.
func (c *Cluster) start(j *job) bool {
	chosen := c.choose(j)
	if chosen == nil {
		return false
	}
	free := make([]int, len(chosen))
	for i, n := range chosen {
		if c.nodes[n].completing > 0 || !c.nodes[n].inService() || c.nodes[n].freeGPUs < j.gpus {
			return false
		}
		free[i] = c.nodes[n].freeCores
	}
	cores := place(free, j.cpus, j.tasksPerNode, j.minCPUs)
	if cores == nil {
		return false
	}
	for i, n := range chosen {
		j.allocated = append(j.allocated, allocation{node: n, cores: c.nodes[n].take(cores[i]), gpus: j.gpus})
		c.nodes[n].freeGPUs -= j.gpus
	}
	j.state, j.reason, j.start = slurmctl.JobRunning, "None", c.now
	c.tell(j, j.state)
	return true
}

// choose returns the node indices, ascending, that the job shall run on. They are its node list and, if that is too
// short, the first nodes that have a free core and the GPUs.
func (c *Cluster) choose(j *job) []int {
	chosen := slices.Clone(j.required)
	k := j.nodeCount(c.config)
	cores := 0
	for _, n := range chosen {
		cores += c.nodes[n].freeCores
	}
	need := max(1, j.minCPUs, j.tasksPerNode)
	for n := range c.nodes {
		if len(chosen) >= max(j.minNodes, 1) && (cores >= j.cpus || len(chosen) == k) {
			break
		}
		usable := c.nodes[n].completing == 0 && c.nodes[n].inService() && c.nodes[n].freeCores >= need && c.nodes[n].freeGPUs >= j.gpus
		if !usable || slices.Contains(j.required, n) {
			continue
		}
		chosen = append(chosen, n)
		cores += c.nodes[n].freeCores
	}
	if len(chosen) < j.minNodes || len(chosen) > k {
		return nil
	}
	slices.Sort(chosen)
	return chosen
}

// place returns the cores that Slurm takes on each node of a job, given the
// free cores in the order of the node table, or nil if there are too few.
//
// With t tasks per node each node gives t. Otherwise each node in turn offers its free cores, but leaves one core for
// each node after it and no less than m for itself. Then cores are dealt round-robin up to the offers until n are
// placed.
func place(free []int, n, t, m int) []int {
	cores := make([]int, len(free))
	if t > 0 {
		for i, f := range free {
			if f < t {
				return nil
			}
			cores[i] = t
		}
		return cores
	}
	m = max(m, 1)
	offers := make([]int, len(free))
	left, sum := n, 0
	for i, f := range free {
		if f < m {
			return nil
		}
		limit := left - (len(free) - 1 - i)
		offers[i] = f
		if f > limit {
			offers[i] = max(limit, m)
		}
		left -= offers[i]
		sum += offers[i]
	}
	if sum < n || n < len(free) {
		return nil
	}
	for placed := 0; placed < n; {
		for i := range cores {
			if placed < n && cores[i] < offers[i] {
				cores[i]++
				placed++
			}
		}
	}
	return cores
}

// take makes the lowest free cores busy and returns their ids.
func (n *node) take(count int) []int {
	ids := make([]int, 0, count)
	for id := range n.busy {
		if len(ids) < count && !n.busy[id] {
			n.busy[id] = true
			ids = append(ids, id)
		}
	}
	n.freeCores -= count
	return ids
}

func (n *node) give(ids []int) {
	for _, id := range ids {
		n.busy[id] = false
	}
	n.freeCores += len(ids)
}

// finish ends a job and begins the COMPLETING of its nodes.
func (c *Cluster) finish(j *job, state slurmctl.JobState) {
	j.end = c.now
	c.tell(j, state)
	if len(j.allocated) == 0 {
		j.state = state
		return
	}
	for _, a := range j.allocated {
		c.nodes[a.node].give(a.cores)
		c.nodes[a.node].freeGPUs += a.gpus
		c.nodes[a.node].completing++
	}
	j.state, j.finalState = slurmctl.JobCompleting, state
	completing := c.config.Completing + j.mishap.Completing
	j.completed = c.now.Add(completing)
	if completing == 0 {
		c.complete(j)
	}
}

func (c *Cluster) complete(j *job) {
	j.state, j.completed = j.finalState, time.Time{}
	for _, a := range j.allocated {
		c.nodes[a.node].completing--
	}
}
