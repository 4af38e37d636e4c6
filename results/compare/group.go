package compare

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Grouped is the comparison of two policies on one of several workloads or machines, or of one policy on two machines or under
// two lists of events.
type Grouped struct {
	// Name of the workload in its campaign.
	Name string
	Comparison
	// Alone counts the runs whose partner is not there.
	Alone int
}

// Groups compares policies pair by pair, once for each machine, workload, list of events and backend that has runs of both. A replica
// with one of the two is left out and counted. name returns the workload's name of a run. The groups come in the
// order of their first runs. Without pairs it compares machines and lists of events, see across. A campaign may exclude the policy that all pairs begin with from a workload. There the
// first policy that has runs takes its place.
func Groups(runs []metric.Result, pairs [][2]string, name func(metric.Result) string) ([]Grouped, error) {
	setups, of := bySetup(runs, name)
	if len(pairs) == 0 {
		return across(setups, of)
	}
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
				faults = append(faults, fmt.Errorf("%s: %w", p, err))
				continue
			}
			alone := len(of[p][pair[0]]) + len(of[p][pair[1]]) - len(a) - len(b)
			all = append(all, Grouped{Name: p.workload, Comparison: c, Alone: alone})
		}
	}
	return all, errors.Join(faults...)
}

// across compares each policy with itself on the machines, or under the lists of events, that have the same jobs: each setup with the
// first one that differs from it in that alone.
func across(setups []setup, of map[setup]map[string][]metric.Result) ([]Grouped, error) {
	var all []Grouped
	var faults []error
	for i, p := range setups {
		first := slices.IndexFunc(setups[:i], p.beside)
		if first < 0 {
			continue
		}
		for _, policy := range slices.Sorted(maps.Keys(of[p])) {
			others, runs := of[setups[first]][policy], of[p][policy]
			a, b := partners(others, runs), partners(runs, others)
			if len(a) == 0 || !sameJobs(inOrder(a), inOrder(b)) {
				continue
			}
			c, err := Compare(a, b)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", p, err))
				continue
			}
			all = append(all, Grouped{Name: p.workload, Comparison: c, Alone: len(others) + len(runs) - len(a) - len(b)})
		}
	}
	return all, errors.Join(faults...)
}

// sameJobs says that the runs of each pair have the same jobs.
func sameJobs(a, b []metric.Result) bool {
	return slices.EqualFunc(a, b, metric.Result.SameJobs)
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

// setup is where policies are compared: on one machine, workload, list of events and backend.
type setup struct {
	machine, workload, events string
	backend                   trace.Backend
}

// String says it in the words of an error.
func (s setup) String() string {
	text := fmt.Sprintf("machine %s, workload %s, backend %s", s.machine, s.workload, s.backend.BackendName())
	if s.events != trace.NoEvents {
		text += ", events " + s.events
	}
	return text
}

// beside says that two setups differ in the machine alone, or in the events alone.
func (s setup) beside(other setup) bool {
	return s.workload == other.workload && s.backend == other.backend && (s.machine == other.machine) != (s.events == other.events)
}

// bySetup has the runs of each setup by policy, and the setups in the order of their first runs.
func bySetup(runs []metric.Result, name func(metric.Result) string) ([]setup, map[setup]map[string][]metric.Result) {
	var setups []setup
	of := map[setup]map[string][]metric.Result{}
	for _, r := range runs {
		p := setup{r.Run.Machine.Name, name(r), r.Run.EventsLabel(), r.Run.Backend}
		if of[p] == nil {
			setups, of[p] = append(setups, p), map[string][]metric.Result{}
		}
		of[p][r.Run.Policy] = append(of[p][r.Run.Policy], r)
	}
	return setups, of
}
