package trace

import (
	"fmt"
	"strconv"
	"strings"
)

// maxNodes bounds the node indices that parseIntervals accepts, so that a damaged
// range cannot exhaust memory. Slurm itself refuses more than 65533 nodes
// (MAX_SLURM_NODES is 64k).
const maxNodes = 1 << 16

// intervals writes ascending indices as Batsim's interval set, separated by
// spaces: "0-3 7".
func intervals(indices []int) string {
	var b strings.Builder
	for i := 0; i < len(indices); {
		j := i
		for j+1 < len(indices) && indices[j+1] == indices[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(indices[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(indices[j]))
		}
		i = j + 1
	}
	return b.String()
}

// parseIntervals reads what intervals writes.
func parseIntervals(s string) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	var list []int
	for item := range strings.SplitSeq(s, " ") {
		low, high, isRange := strings.Cut(item, "-")
		first, err := strconv.ParseUint(low, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("%q is no node index from 0 to %d", low, maxNodes-1)
		}
		last := first
		if isRange {
			if last, err = strconv.ParseUint(high, 10, 16); err != nil {
				return nil, fmt.Errorf("%q is no node index from 0 to %d", high, maxNodes-1)
			}
		}
		if last < first || len(list) > 0 && int(first) <= list[len(list)-1] {
			return nil, fmt.Errorf("interval %q does not ascend", item)
		}
		for n := first; n <= last; n++ {
			list = append(list, int(n))
		}
	}
	return list, nil
}
