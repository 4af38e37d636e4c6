package trace

import (
	"strconv"
	"strings"
)

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
