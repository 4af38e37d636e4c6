package compare

import (
	"errors"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Grouped is the comparison of two policies on one of several workloads or machines.
type Grouped struct {
	// Name of the workload in its campaign.
	Name    string
	Backend trace.Backend
	Comparison
	// Alone counts the runs whose partner is not there.
	Alone int
}

// Groups compares policies pair by pair, once for each machine, workload and backend that has runs of both. A replica
// with one of the two is left out and counted. name returns the workload's name of a run. The groups come in the
// order of their first runs. A campaign may exclude the policy that all pairs begin with from a workload. There the
// first policy that has runs takes its place.
func Groups(runs []metric.Result, pairs [][2]string, name func(metric.Result) string) ([]Grouped, error) {
	setups, of := bySetup(runs, name)
	var all []Grouped
	var faults []error
	for _, p := range setups {
		for _, pair := range here(pairs, of[p]) {
			a, b := partners(of[p][pair[0]], of[p][pair[1]]), partners(of[p][pair[1]], of[p][pair[0]])
			if len(a) == 0 {
				continue
			}
			c, err := Compare(a, b)
			if err != nil {
				faults = append(faults, fmt.Errorf("machine %s, workload %s, backend %s: %w", p.machine, p.workload, p.backend.BackendName(), err))
				continue
			}
			alone := len(of[p][pair[0]]) + len(of[p][pair[1]]) - len(a) - len(b)
			all = append(all, Grouped{Name: p.workload, Backend: p.backend, Comparison: c, Alone: alone})
		}
	}
	return all, errors.Join(faults...)
}

// here are the pairs to compare where there are such runs.
func here(pairs [][2]string, of map[string][]metric.Result) [][2]string {
	if slices.ContainsFunc(pairs, func(pair [2]string) bool { return pair[0] != pairs[0][0] || len(of[pair[0]]) > 0 }) {
		return pairs
	}
	var found [][2]string
	first := ""
	for _, pair := range pairs {
		switch {
		case len(of[pair[1]]) == 0:
		case first == "":
			first = pair[1]
		default:
			found = append(found, [2]string{first, pair[1]})
		}
	}
	return found
}

// partners are the runs of one side that have one of the other.
func partners(side, other []metric.Result) []metric.Result {
	return slices.DeleteFunc(slices.Clone(side), func(r metric.Result) bool {
		return !slices.ContainsFunc(other, func(o metric.Result) bool { return sameReplica(r.Run, o.Run) })
	})
}

func sameReplica(a, b trace.Run) bool { return a.Seed == b.Seed && a.Window == b.Window }

// setup is where policies are compared: on one machine, workload and backend.
type setup struct {
	machine, workload string
	backend           trace.Backend
}

// bySetup has the runs of each setup by policy, and the setups in the order of their first runs.
func bySetup(runs []metric.Result, name func(metric.Result) string) ([]setup, map[setup]map[string][]metric.Result) {
	var setups []setup
	of := map[setup]map[string][]metric.Result{}
	for _, r := range runs {
		p := setup{r.Run.Machine.Name, name(r), r.Run.Backend}
		if of[p] == nil {
			setups, of[p] = append(setups, p), map[string][]metric.Result{}
		}
		of[p][r.Run.Policy] = append(of[p][r.Run.Policy], r)
	}
	return setups, of
}
