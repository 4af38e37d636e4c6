package machine

import (
	"fmt"
	"strings"
)

// RunLength writes counts as Slurm does, "4(x64),3".
func RunLength(counts []int) string {
	var out strings.Builder
	for i := 0; i < len(counts); {
		end := i + 1
		for end < len(counts) && counts[end] == counts[i] {
			end++
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprint(&out, counts[i])
		if end-i > 1 {
			fmt.Fprintf(&out, "(x%d)", end-i)
		}
		i = end
	}
	return out.String()
}

// Ranges writes ascending indices as ranges, "0-63,80".
func Ranges(indices []int) string {
	var out strings.Builder
	for i := 0; i < len(indices); {
		end := i + 1
		for end < len(indices) && indices[end] == indices[end-1]+1 {
			end++
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprint(&out, indices[i])
		if end-i > 1 {
			fmt.Fprintf(&out, "-%d", indices[end-1])
		}
		i = end
	}
	return out.String()
}

// Contiguous reports whether ascending indices are one block.
func Contiguous(indices []int) bool {
	return len(indices) > 0 && indices[len(indices)-1]-indices[0] == len(indices)-1
}

// Names are the names of some nodes, by index.
func Names(nodes []Node, indices []int) []string {
	names := make([]string, len(indices))
	for i, at := range indices {
		names[i] = nodes[at].Name
	}
	return names
}
