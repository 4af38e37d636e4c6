package sbatch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// After is the dependency on the begin of jobs, "after:7:9".
func After(ids []int) string {
	text := "after"
	for _, id := range ids {
		text += ":" + strconv.Itoa(id)
	}
	return text
}

// ParseAfter reads what After writes. Slurm has further kinds of dependency, which
// are errors here.
func ParseAfter(text string) ([]int, error) {
	kind, rest, listed := strings.Cut(text, ":")
	if kind != "after" || !listed {
		return nil, fmt.Errorf("parse dependency %q: want after:ID[:ID...]", text)
	}
	var ids []int
	for word := range strings.SplitSeq(rest, ":") {
		id, ok := values.Count(word)
		if !ok || id == 0 {
			return nil, fmt.Errorf("parse dependency %q: want after:ID[:ID...]", text)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
