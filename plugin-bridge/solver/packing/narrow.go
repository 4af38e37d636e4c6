package packing

// narrow returns the model of some columns on fewer constraints. Neighbouring constraints in which all of these
// columns have the same amounts become one with the least of their bounds. Column k of the result is columns[k].
// merged has the prices of the new constraints, if there are any, as sums of the old ones.
func (m *model) narrow(columns []int32, prices []float64) (n *model, merged []float64) {
	n = &model{group: make([]int32, len(columns)), value: make([]float64, len(columns))}
	edge := make([]bool, m.rows()+1)
	// over is by how much the number of columns changes from one row to the next.
	over := make([]int32, m.rows()+1)
	for _, i := range columns {
		for _, run := range m.stretches.vector(i) {
			edge[run.first], edge[run.end] = true, true
			over[run.first]++
			over[run.end]--
		}
	}
	// to is the new row of each old row, with one more entry for the end. Rows
	// without any of the columns leave.
	to := make([]int32, m.rows()+1)
	inside := int32(0)
	for r, b := range m.bound {
		inside += over[r]
		switch last := len(n.bound) - 1; {
		case inside == 0:
			to[r] = int32(last + 1)
			continue
		case edge[r]:
			n.bound = append(n.bound, b)
		default:
			n.bound[last] = min(n.bound[last], b)
		}
		to[r] = int32(len(n.bound) - 1)
		if prices != nil {
			merged = append(merged, make([]float64, len(n.bound)-len(merged))...)
			merged[to[r]] += prices[r]
		}
	}
	to[m.rows()] = int32(len(n.bound))
	position := make([]int32, len(m.members))
	n.stretches.start = make([]int32, 1, len(columns)+1)
	for k, i := range columns {
		for _, run := range m.stretches.vector(i) {
			n.stretches.of = append(n.stretches.of, stretch{to[run.first], to[run.end], run.amount})
		}
		n.stretches.start = append(n.stretches.start, int32(len(n.stretches.of)))
		n.value[k] = m.value[i]
		g := &position[m.group[i]]
		if *g == 0 {
			n.members = append(n.members, nil)
			*g = int32(len(n.members))
		}
		n.group[k] = *g - 1
		n.members[*g-1] = append(n.members[*g-1], int32(k))
	}
	return n, merged
}
