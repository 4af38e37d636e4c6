package layout

import "fmt"

// AgentFaults lists what an agent that schedules a cluster from outside cannot know: of which type
// the free GPUs of a node are that has several, and some settings of partitions.
func (l Layout) AgentFaults() []error {
	var faults []error
	for i, g := range l.Groups {
		if len(g.GPUs) > 1 {
			faults = append(faults, fmt.Errorf("groups[%d].gpus: got %d types on each of the nodes %s, allowed is one: the agent is not told which of them are free", i, len(g.GPUs), l.NodesOf(i)))
		}
	}
	for i, p := range l.Partitions {
		faults = append(faults, p.agentFaults(fmt.Sprintf("partitions[%d]", i))...)
	}
	return faults
}
