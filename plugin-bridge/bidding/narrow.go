package bidding

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Choices are the parts of a request among which a program chooses. What a job leaves
// open beyond them is settled before, by [Choices.Narrow].
type Choices struct{ Nodes, GPUs, Alternatives bool }

// Narrow returns the job as the program gets it on a machine. lost is in words what the program does not get, "" for
// a job that leaves nothing open. A range of nodes becomes the least number that holds the job's cores and the nodes
// that it names, a range of GPUs its least. Of a job with alternatives the first request is left.
func (c Choices) Narrow(j Job, nodes []machine.Node) (narrow Job, lost string) {
	var all []string
	if n := len(j.Alternatives); n > 0 && !c.Alternatives {
		all = append(all, fmt.Sprintf("its first request counts, its %d further ones do not", n))
		j = j.With(0)
	}
	if least, most := j.Nodes, j.MaxNodes; most > least && !c.Nodes {
		j.MaxNodes = 0
		cores := 1
		for _, n := range nodes {
			cores = max(cores, n.Cores)
		}
		j.Nodes = min(most, max(least, (j.Tasks()+cores-1)/cores, len(j.Options.Required)))
		all = append(all, fmt.Sprintf("of %d to %d nodes it gets %d", least, most, j.Nodes))
	}
	if most := j.MaxGPUs; most > j.GPUs && !c.GPUs {
		j.MaxGPUs = 0
		all = append(all, fmt.Sprintf("of %d to %d GPUs a node it gets %d", j.GPUs, most, j.GPUs))
	}
	return j, strings.Join(all, "; ")
}
