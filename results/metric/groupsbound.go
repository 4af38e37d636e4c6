package metric

import (
	"slices"

	"github.com/slurmlab/slurmlab/workloads"
)

// groupsBound returns the pattern bound of LowerBound, in seconds, for nodes that differ.
//
// For any prices u_t >= 0 let v_g be the most that a pattern on a node of group g is worth, of requests that fit
// there and whose jobs may have these nodes. All patterns together hold the demand, so that sum(D_t u_t) <= sum_g n_g
// v_g x makespan. So each choice of prices gives a lower bound, and a bad choice a weak one, never a wrong one. For
// all requests, and for those that a set of groups must hold alone, groupsBound tries the cores, the GPUs, and the
// best prices that patternBound finds for each group by itself.
func groupsBound(groups []workloads.NodeKind, kinds []kind) float64 {
	best := 0.0
	for _, hosts := range hostSets(kinds) {
		var confined []kind
		for _, k := range kinds {
			if within(k.hosts, hosts) {
				confined = append(confined, k)
			}
		}
		try := func(price func(kind) float64) {
			best = max(best, priced(groups, confined, price))
		}
		try(func(k kind) float64 { return float64(k.cores) })
		try(func(k kind) float64 { return float64(k.gpus) })
		for _, g := range groups {
			there := hosted(g, confined)
			_, prices := patternBound(request{cores: g.Cores, gpus: g.GPUs}, onNode(g, there))
			if prices == nil {
				continue
			}
			try(func(k kind) float64 {
				if i := slices.Index(there, k); i >= 0 {
					return prices[i]
				}
				return 0
			})
		}
	}
	return best
}

// priced is the bound by these prices, 0 if they are worth nothing.
func priced(groups []workloads.NodeKind, kinds []kind, price func(kind) float64) float64 {
	demand, worth := 0.0, 0.0
	for _, k := range kinds {
		demand += k.demand * price(k)
	}
	for _, g := range groups {
		there := hosted(g, kinds)
		prices := make([]float64, len(there))
		for i, k := range there {
			prices[i] = price(k)
		}
		worth += float64(g.Count) * bestWorth(request{cores: g.Cores, gpus: g.GPUs}, onNode(g, there), prices)
	}
	if worth == 0 {
		return 0
	}
	return demand / worth
}

// hosted are the kinds that a node of the group can hold.
func hosted(g workloads.NodeKind, kinds []kind) []kind {
	var there []kind
	for _, k := range kinds {
		if k.hosts[g.Group] == '1' && k.cores <= g.Cores && k.gpus <= g.GPUs {
			there = append(there, k)
		}
	}
	return there
}

// onNode are the kinds as a node of the group holds them: all of it for a whole one.
func onNode(g workloads.NodeKind, there []kind) []kind {
	held := slices.Clone(there)
	for i := range held {
		if held[i].whole {
			held[i].cores, held[i].gpus = g.Cores, g.GPUs
		}
	}
	return held
}

// hostsOf says for request which groups a job may have.
func hostsOf(m workloads.Machine, j workloads.Job) string {
	if !m.Unequal() {
		return ""
	}
	set := slices.Repeat([]byte{'0'}, len(m.Layout.Groups))
	for _, k := range m.Hosts(j) {
		set[k.Group] = '1'
	}
	return string(set)
}

// hostSets are the sets of groups of the kinds, and all groups that any of them may have.
func hostSets(kinds []kind) []string {
	var sets []string
	var all []byte
	for _, k := range kinds {
		if !slices.Contains(sets, k.hosts) {
			sets = append(sets, k.hosts)
		}
		if all == nil {
			all = []byte(k.hosts)
		}
		for i := range all {
			all[i] = max(all[i], k.hosts[i])
		}
	}
	if all != nil && !slices.Contains(sets, string(all)) {
		sets = append(sets, string(all))
	}
	return sets
}

// within says that each group of a set is in another one.
func within(set, other string) bool {
	for i := range set {
		if set[i] > other[i] {
			return false
		}
	}
	return true
}
