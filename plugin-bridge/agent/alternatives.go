package agent

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// alternativesPrefix begins a job's comment that lists alternatives, also in
// job_submit.lua.
const alternativesPrefix = "slurmlab alt:"

// parseAlternatives reads further requests of a job from its comment, in the
// words of sbatch, with "|" between them, the most wanted first:
//
//	slurmlab alt: -n 16 | -N 4 --ntasks-per-node=2 --gres=gpu:1-3
//
// Each has -n (--ntasks), -N (--nodes), --ntasks-per-node and --gres=gpu:
// NUMBER or LOW-HIGH, each at most once and with its value in the next word or
// after "=". Any other comment has no alternatives.
func parseAlternatives(comment string) ([]bidding.Alternative, error) {
	text, listed := strings.CutPrefix(comment, alternativesPrefix)
	if !listed {
		return nil, nil
	}
	var all []bidding.Alternative
	for request := range strings.SplitSeq(text, "|") {
		a, err := parseAlternative(strings.Fields(request))
		if err != nil {
			return nil, fmt.Errorf("its alternative %q: %w", strings.TrimSpace(request), err)
		}
		all = append(all, a)
	}
	return all, nil
}

func parseAlternative(words []string) (bidding.Alternative, error) {
	r, faults := sbatch.NewParser("-n, -N, --ntasks-per-node= and --gres=gpu:", "-n", "-N", "--ntasks-per-node", "--gres").Parse(words)
	if len(faults) > 0 {
		return bidding.Alternative{}, faults[0]
	}
	if r.NodesMax > 0 {
		return bidding.Alternative{}, fmt.Errorf("-N: got %d-%d, allowed one number of nodes", r.Nodes, r.NodesMax)
	}
	if r.GPUType != "" || r.Shards+r.MPS > 0 {
		return bidding.Alternative{}, fmt.Errorf("--gres: got %s, allowed GPUs without a type", r.GRES())
	}
	a := bidding.Alternative{Cores: r.Tasks, Nodes: r.Nodes, CoresPerNode: r.TasksPerNode, GPUs: r.GPUsMin, MaxGPUs: r.GPUsMax}
	// As sbatch has it: a task for each node without -n.
	if a.Cores == 0 && a.CoresPerNode == 0 {
		a.Cores = a.Nodes
	}
	return a, nil
}
