package machine

import "slices"

// Stable reports whether the rule gives the same cores for every state between free and total, node by node. Then
// jobs that end between the snapshot and the start of this one do not change its layout. It is exact for TasksPerNode
// and sufficient otherwise: it accepts a layout if the limits c_j do not depend on the state (idle nodes, or nodes
// whose rest is never needed), or if it is balanced whatever the state.
func Stable(free, total []int, r Request) bool {
	if _, err := Place(free, r); err != nil {
		return false
	}
	if r.TasksPerNode > 0 || Balanced(free, total, r) {
		return true
	}
	// c_j = min(f_j, max(cap_j, m)) grows with f_j, and cap_j depends on the
	// limits before j only. So equal limits at both ends are equal between.
	return slices.Equal(coreLimits(free, r), coreLimits(total, r))
}

// Balanced reports whether the layout is ceil(n/k) on the first n mod k nodes
// and m = floor(n/k) on the others for every state between free and total.
// After m rounds n mod k tasks are left, and they go to the first n mod k nodes
// if those have room for one more. Sums of limits grow with the free cores, so
// the caps are smallest, and the room least, when the nodes are idle.
func Balanced(free, total []int, r Request) bool {
	k := len(free)
	if r.MinCores == 0 || r.MinCores != r.Tasks/k {
		return false
	}
	left := r.Tasks
	for j := range r.Tasks % k {
		most := coreCap(left, k-1-j, r.MinCores)
		if free[j] <= r.MinCores || most <= r.MinCores {
			return false
		}
		left -= min(total[j], most)
	}
	return true
}
