package conf

import (
	"fmt"
	"strings"
)

// topology writes topology.conf for topology/tree. Level 0 has the leaf
// switches l0s1, l0s2, ...; every higher level joins neighbours of the one
// below.
func topology(nodes int, levels []int) []byte {
	var out strings.Builder
	for level, size := range levels {
		for first := 0; first < nodes; first += size {
			end := min(first+size, nodes)
			fmt.Fprintf(&out, "SwitchName=l%ds%d ", level, first/size+1)
			if level == 0 {
				fmt.Fprintf(&out, "Nodes=n[%d-%d]\n", first+1, end)
				continue
			}
			below := levels[level-1]
			fmt.Fprintf(&out, "Switches=l%ds[%d-%d]\n", level-1, first/below+1, (end-1)/below+1)
		}
	}
	return []byte(out.String())
}

// levelFaults says what is wrong with the levels of a tree.
func levelFaults(nodes int, levels []int) error {
	for i, size := range levels {
		if size < 1 || i > 0 && (size <= levels[i-1] || i < len(levels)-1 && size%levels[i-1] != 0) || i == len(levels)-1 && size != nodes {
			return fmt.Errorf("switch_levels: %v is not allowed, want rising multiples that end in nodes=%d", levels, nodes)
		}
	}
	return nil
}
