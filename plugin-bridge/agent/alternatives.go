package agent

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
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
func parseAlternatives(comment string) ([]auction.Alternative, error) {
	text, listed := strings.CutPrefix(comment, alternativesPrefix)
	if !listed {
		return nil, nil
	}
	var all []auction.Alternative
	for request := range strings.SplitSeq(text, "|") {
		a, err := parseAlternative(strings.Fields(request))
		if err != nil {
			return nil, fmt.Errorf("its alternative %q: %w", strings.TrimSpace(request), err)
		}
		all = append(all, a)
	}
	return all, nil
}

func parseAlternative(words []string) (auction.Alternative, error) {
	var a auction.Alternative
	seen := map[string]bool{}
	for i := 0; i < len(words); i++ {
		option, value, inline := strings.Cut(words[i], "=")
		if !inline && i+1 < len(words) {
			i++
			value = words[i]
		}
		long := map[string]string{"-n": "--ntasks", "-N": "--nodes"}[option]
		if long != "" {
			option = long
		}
		if seen[option] {
			return a, fmt.Errorf("%s is there twice", option)
		}
		seen[option] = true
		var err error
		switch option {
		case "--ntasks":
			a.Cores, err = count(value)
		case "--nodes":
			a.Nodes, err = count(value)
		case "--ntasks-per-node":
			a.CoresPerNode, err = count(value)
		case "--gres":
			gpus, isGPU := strings.CutPrefix(value, "gpu:")
			if !isGPU {
				return a, fmt.Errorf("--gres=%s, allowed is --gres=gpu:NUMBER or gpu:LOW-HIGH", value)
			}
			a.GPUs, a.MaxGPUs, err = countRange(gpus)
		default:
			return a, fmt.Errorf("unknown option %s, allowed are -n, -N, --ntasks-per-node and --gres", option)
		}
		if err != nil {
			return a, fmt.Errorf("%s %s: %w", option, value, err)
		}
	}
	// As sbatch has it: a task for each node without -n.
	if a.Cores == 0 && a.CoresPerNode == 0 {
		a.Cores = a.Nodes
	}
	return a, nil
}
