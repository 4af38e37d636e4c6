package watch

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// Waits says what a pending job of the look waits for. What the agent said of the job comes
// first, then to whom it lost its last bids, or Slurm's word, then what the free nodes
// lack for it.
func (l *Look) Waits(j Job) string {
	agentHolds := l.Agent != nil && j.Held
	if agentHolds {
		if text := l.said(j); text != "" {
			return text
		}
	}
	lacks := l.lacks(j)
	switch {
	case agentHolds && l.Agent.Good != nil && j.Submit.After(l.Agent.Good.Ended.Virtual):
		return "the next cycle"
	case agentHolds && l.lost(j) != "":
		return join(l.lost(j), lacks, "; ")
	case agentHolds && lacks == "":
		return "a cycle that places it: its cores and GPUs are free"
	case agentHolds:
		return lacks
	case j.Held:
		return "held (" + j.Reason + ")"
	}
	text := j.Reason
	if slices.Contains([]string{"", "None", "Resources", "Priority"}, j.Reason) && lacks != "" {
		text = join(text, lacks, ": ")
	}
	if planned := j.Start.Sub(l.Now.Virtual); !j.Start.IsZero() && planned > 0 {
		text = join(text, "planned in "+Span(planned), ", ")
	}
	return text
}

func join(a, b, by string) string {
	switch {
	case a == "" || a == "None":
		return b
	case b == "":
		return a
	default:
		return a + by + b
	}
}

// lost says in which cycle the job bid last, and which winner has the nodes that it bid for;
// "" if it has not bid yet.
func (l *Look) lost(j Job) string {
	number := l.number(j)
	i := slices.IndexFunc(l.Agent.Losses, func(loss Loss) bool { return loss.Job == number })
	switch {
	case i < 0:
		return ""
	case l.Agent.Losses[i].To == 0:
		return fmt.Sprintf("its bids lost in cycle %d", l.Agent.Losses[i].Cycle)
	default:
		return fmt.Sprintf("lost to job %d in cycle %d", l.Agent.Losses[i].To, l.Agent.Losses[i].Cycle)
	}
}

// number is what the agent calls the job.
func (l *Look) number(j Job) int {
	if !l.ByName {
		return j.ID
	}
	number, _ := strconv.Atoi(j.Name)
	return number
}

// said is what the agent knows that keeps a job from being scheduled at all.
func (l *Look) said(j Job) string {
	number := l.number(j)
	i := slices.IndexFunc(l.Agent.Obstacles, func(r trace.Refusal) bool { return r.Job == number })
	switch {
	case i >= 0:
		return "cannot be scheduled: " + l.Agent.Obstacles[i].Reason
	case slices.Contains(l.Agent.HeldByOwner, number):
		return "held by its owner"
	case j.Reason == slurmctl.ReasonBadConstraints:
		return "Slurm finds it impossible (BadConstraints)"
	default:
		return ""
	}
}

// lacks says what the nodes do not have free for a job, "" if that is nothing. It is
// arithmetic on cores and GPUs: partitions, features, memory, blocks of nodes and
// licences may stand in the way of a job that lacks nothing. A job that asks for more than
// one node is taken to want exactly so many, as "-N 4" says to Slurm.
func (l *Look) lacks(j Job) string {
	hosts := 0
	free := map[int]int{} // nodes by free cores
	for _, n := range l.Nodes {
		if cores := n.Cores - n.UsedCores; !n.Out && cores >= j.CoresPerNode && n.GPUs-n.UsedGPUs >= j.GPUs {
			hosts, free[cores] = hosts+n.Count, free[cores]+n.Count
		}
	}
	most := hosts
	if j.Nodes > 1 {
		most = j.Nodes
	}
	cores := 0
	for _, each := range slices.Backward(slices.Sorted(maps.Keys(free))) {
		n := min(most, free[each])
		cores, most = cores+n*each, most-n
	}
	wants := max(j.Nodes, 1)
	each := text.Plural(j.CoresPerNode, "core")
	if j.GPUs > 0 {
		each += " and " + text.Plural(j.GPUs, "GPU")
	}
	switch {
	case hosts < wants:
		return fmt.Sprintf("%s with %s, %d free", text.Plural(wants, "node"), each, hosts)
	case cores < j.Cores && wants > 1:
		return fmt.Sprintf("%s on %s, %d free", text.Plural(j.Cores, "core"), text.Plural(wants, "node"), cores)
	case cores < j.Cores && j.GPUs > 0:
		return fmt.Sprintf("%s beside %s, %d free", text.Plural(j.Cores, "core"), text.Plural(j.GPUs, "GPU"), cores)
	case cores < j.Cores:
		return fmt.Sprintf("%s, %d free", text.Plural(j.Cores, "core"), cores)
	default:
		return ""
	}
}
