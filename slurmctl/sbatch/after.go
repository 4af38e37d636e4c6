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

// Dependencies is the value of --dependency, all of whose parts must be fulfilled; "" without.
func (r Request) Dependencies() string {
	var parts []string
	if len(r.After) > 0 {
		parts = append(parts, After(r.After))
	}
	if r.Dependency != "" {
		parts = append(parts, r.Dependency)
	}
	return strings.Join(parts, ",")
}

// isDependency says whether a text is a kind of dependency and the id of a job.
func isDependency(text string) bool {
	kind, id, _ := strings.Cut(text, ":")
	n, ok := values.Count(id)
	return ok && n > 0 && kind != "" && strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz") == ""
}

// parseDependencies reads what Dependencies writes into the request.
func parseDependencies(r *Request, text string) (ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		after, err := ParseAfter(part)
		switch {
		case err == nil && r.After == nil:
			r.After = after
		case r.Dependency == "" && isDependency(part):
			r.Dependency = part
		default:
			return false
		}
	}
	return true
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
