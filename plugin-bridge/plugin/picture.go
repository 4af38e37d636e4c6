package plugin

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// picture returns the message of a snapshot, without what changed and the results.
func picture(s auction.Snapshot, number int) Snapshot {
	m := Snapshot{
		Type: typeSnapshot, Number: number, TimeS: seconds(s.Now.Seconds()),
		Nodes: make([]Node, len(s.Nodes)), Queue: make([]Job, len(s.Jobs)), Running: make([]Running, len(s.Running)),
		Changed: Changed{Submitted: []int{}, Started: []int{}, Ended: []int{}}, Results: []Result{},
	}
	for i, n := range s.Nodes {
		m.Nodes[i] = Node{Name: n.Name, Cores: n.Cores, GPUs: n.GPUs, FreeCores: n.FreeCores, FreeGPUs: n.FreeGPUs, Switches: n.Switches}
	}
	for i, j := range s.Jobs {
		m.Queue[i] = queued(j, s.Nodes)
	}
	for i, h := range s.Running {
		m.Running[i] = Running{
			Job: h.Job, Nodes: machine.Names(s.Nodes, h.Nodes), Cores: h.Cores, GPUsPerNode: h.GPUs, EndS: seconds(h.End.Seconds()),
		}
	}
	return m
}

// queued is a job as the program gets it.
func queued(j bidding.Job, nodes []machine.Node) Job {
	told := Job{
		Job: j.ID, WaitedS: seconds(j.Waited.Seconds()), LimitS: seconds(j.TimeLimit.Seconds()),
		Cores: j.Tasks(), Nodes: j.Nodes, MaxNodes: j.MaxNodes, CoresPerNode: j.CoresPerNode,
		GPUsPerNode: j.GPUs, MaxGPUsPerNode: j.MaxGPUs, Contiguous: j.Contiguous, Switches: j.Options.Switches,
		RequiredNodes: machine.Names(nodes, j.Options.Required),
	}
	if j.CoresPerNode > 0 {
		told.Nodes = j.Tasks() / j.CoresPerNode
	}
	if j.Options.Key() != "" {
		for i, n := range nodes {
			if !j.Options.Admits(i, n) {
				told.ForbiddenNodes = append(told.ForbiddenNodes, n.Name)
			}
		}
	}
	return told
}
