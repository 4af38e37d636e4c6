package watch

import (
	"cmp"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Most is how many pending and how many running jobs a Look lists.
const Most = 200

// Look is a cluster at a moment.
type Look struct {
	Now   Moment `json:"now"`
	Clock string `json:"clock"` // real, scaled or jump
	// Due is the shared instant for which the look was taken, zero for none.
	Due time.Time `json:"due,omitzero"`
	// Held says of a jump clock that it is held at the speed of real time.
	Held bool `json:"held,omitempty"`
	// Policy is the agent's, or Slurm's scheduler without one. Priority is Slurm's
	// plug-in.
	Policy   string `json:"policy"`
	Priority string `json:"priority"`
	// ByName says that the agent calls jobs by the numbers that are their names, as in a
	// run, and not by Slurm's ids.
	ByName bool `json:"by_name,omitempty"`
	// Nodes of the machine in Slurm's order, neighbours that are alike as one entry.
	Nodes []Nodes `json:"nodes"`
	// Waiting and Active count the pending jobs and the other ones of the queue. Queue are
	// the pending ones, those with the highest priority first, and Running the others, those
	// that started last first.
	Waiting int   `json:"waiting"`
	Active  int   `json:"active"`
	Queue   []Job `json:"queue,omitempty"`
	Running []Job `json:"running,omitempty"`
	// Fault says why Slurm could not be asked; nodes and jobs then come from the last look at which it could.
	Fault string `json:"fault,omitempty"`
	// AskMS is the real time in which Slurm answered, in milliseconds.
	AskMS float64 `json:"ask_ms"`
	// Agent is nil where Slurm schedules by itself, and as long as nothing is known of an
	// agent.
	Agent *Agent `json:"agent,omitempty"`
}

// Nodes are so many neighbours that are alike. Cores and GPUs are per node.
type Nodes struct {
	Count     int `json:"count"`
	Cores     int `json:"cores"`
	UsedCores int `json:"used_cores"`
	GPUs      int `json:"gpus"`
	UsedGPUs  int `json:"used_gpus"`
	// Out says that Slurm starts no job there.
	Out bool `json:"out,omitempty"`
}

// Job is a job in the queue.
type Job struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	// State and Reason are Slurm's words.
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	Held   bool   `json:"held,omitempty"`
	// Submit is virtual, as is Start, which of a pending job is what Slurm plans, zero if
	// it does not.
	Submit time.Time `json:"submit"`
	Start  time.Time `json:"start,omitzero"`
	// Limit is 0 without one.
	Limit time.Duration `json:"limit_ns"`
	// Nodes is the least number asked for, or what is allocated; Cores those on all nodes;
	// CoresPerNode, the least on each, and GPUs are per node.
	Nodes        int    `json:"nodes"`
	Cores        int    `json:"cores"`
	CoresPerNode int    `json:"cores_per_node"`
	GPUs         int    `json:"gpus"`
	Contiguous   bool   `json:"contiguous,omitempty"`
	NodeList     string `json:"node_list,omitempty"`
	priority     int
}

// See takes over what Slurm says of its nodes and its queue. Where the nodes have names at a site, jobs are on nodes of these.
func (l *Look) See(nodes []slurmctl.NodeRecord, queue []slurmctl.QueuedJob, atSite []string) {
	l.Nodes, l.Queue, l.Running = nil, nil, nil
	for _, n := range nodes {
		one := Nodes{Count: 1, Cores: n.CPUs, UsedCores: n.AllocCPUs, GPUs: n.GPUs, UsedGPUs: n.AllocGPUs, Out: out(n)}
		if last := len(l.Nodes) - 1; last >= 0 && l.Nodes[last].like(one) {
			l.Nodes[last].Count++
			continue
		}
		l.Nodes = append(l.Nodes, one)
	}
	for _, j := range queue {
		job := Job{
			ID: j.ID, Name: j.Name, State: string(j.State), Reason: j.Reason, Held: j.Held(), Submit: j.Submit, Start: j.Start,
			Limit: j.TimeLimit, Nodes: j.Nodes, Cores: j.CPUs, CoresPerNode: max(j.TasksPerNode, j.MinCPUsNode, 1), GPUs: j.GPUsPerNode,
			Contiguous: j.Contiguous, NodeList: j.NodeList, priority: j.Priority,
		}
		if j.State == slurmctl.JobPending {
			l.Queue = append(l.Queue, job)
		} else {
			l.Running = append(l.Running, job)
		}
	}
	slices.SortFunc(l.Queue, func(a, b Job) int { return cmp.Or(b.priority-a.priority, a.ID-b.ID) })
	slices.SortFunc(l.Running, func(a, b Job) int { return cmp.Or(b.Start.Compare(a.Start), b.ID-a.ID) })
	l.Waiting, l.Active = len(l.Queue), len(l.Running)
	l.Queue, l.Running = l.Queue[:min(Most, l.Waiting)], l.Running[:min(Most, l.Active)]
	for i := range l.Running {
		l.Running[i].NodeList = layout.ListAtSite(l.Running[i].NodeList, atSite)
	}
}

// out says that Slurm starts no job on a node. One in COMPLETING is only between two jobs,
// and one that is PLANNED is kept by backfill for a job that is waiting.
func out(n slurmctl.NodeRecord) bool {
	n.Flags = slices.DeleteFunc(slices.Clone(n.Flags), func(flag string) bool { return flag == "COMPLETING" || flag == "PLANNED" })
	return !n.Available()
}

func (n Nodes) like(other Nodes) bool {
	n.Count, other.Count = 0, 0
	return n == other
}

// Use is how much of something is in use.
type Use struct{ Used, All int }

// Share is the used part, from 0 to 1.
func (u Use) Share() float64 {
	if u.All == 0 {
		return 0
	}
	return float64(u.Used) / float64(u.All)
}

// Cores counts the cores of all nodes.
func (l *Look) Cores() Use {
	var u Use
	for _, n := range l.Nodes {
		u.Used, u.All = u.Used+n.Count*n.UsedCores, u.All+n.Count*n.Cores
	}
	return u
}

// GPUs counts the GPUs of all nodes.
func (l *Look) GPUs() Use {
	var u Use
	for _, n := range l.Nodes {
		u.Used, u.All = u.Used+n.Count*n.UsedGPUs, u.All+n.Count*n.GPUs
	}
	return u
}

// Outside counts the nodes on which Slurm starts no job.
func (l *Look) Outside() (n int) {
	for _, nodes := range l.Nodes {
		if nodes.Out {
			n += nodes.Count
		}
	}
	return n
}

// Least is how many nodes a pending job takes at least: those that it asks for, or enough for its cores. Slurm says 1 of a
// job that asks for cores alone (scontrol(1), MinNodes).
func (l *Look) Least(j Job) int {
	largest := 0
	for _, n := range l.Nodes {
		largest = max(largest, n.Cores)
	}
	if largest == 0 || j.Nodes > 1 {
		return j.Nodes
	}
	return max(j.Nodes, (j.Cores+largest-1)/largest)
}

// Size counts the nodes.
func (l *Look) Size() int {
	size := 0
	for _, n := range l.Nodes {
		size += n.Count
	}
	return size
}
