package site

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Series is the release series of Slurm whose keys are known here.
const Series = "26.05"

//go:embed keys-26.05
var keysOfSlurm string

// SlurmKeys are the keys of slurm.conf (slurm_conf_options in src/common/read_config.c).
func SlurmKeys() []string { return strings.Fields(keysOfSlurm) }

// isKeyOfSlurm says whether Slurm has a key of the whole cluster, which it reads in any case.
func isKeyOfSlurm(name string) bool { return isOneOf(SlurmKeys(), name) }

func isOneOf(keys []string, name string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return strings.EqualFold(key, name) })
}

// unknownKey is one that Slurm does not have, with the lines that it stands in.
type unknownKey struct {
	of    string
	name  string
	known []string
	first fileLine
	lines int
}

// unknownKeys names the keys that Slurm does not have. slurmctld stops at one (_parse_next_key in src/common/parse_config.c). Here it
// may belong to another release, in which the file is legal, so only its value is lost. A key that Slurm has and ignores is no such key.
func (r *reader) unknownKeys(lines []record) {
	cluster, nodes, partitions := SlurmKeys(), namesOf(NodeKeys()), namesOf(PartitionKeys())
	var all []unknownKey
	numbers := map[[2]string]int{}
	look := func(rec record, of string, known []string, pairs []pair) {
		for _, p := range pairs {
			if isOneOf(known, p.key) {
				continue
			}
			id := [2]string{of, strings.ToLower(p.key)}
			i, again := numbers[id]
			if !again {
				i = len(all)
				numbers[id], all = i, append(all, unknownKey{of: of, name: p.key, known: known, first: rec.fileLine})
			}
			all[i].lines++
		}
	}
	for _, rec := range lines {
		switch {
		case rec.is("NodeName"):
			look(rec, " of NodeName", nodes, rec.pairs)
		case rec.is("PartitionName"):
			look(rec, " of PartitionName", partitions, rec.pairs)
		default:
			// A line of another array, such as DownNodes, has keys of its own behind the first.
			look(rec, "", cluster, rec.pairs[:1])
		}
	}
	for _, k := range all {
		r.note("%s", k)
	}
}

func (k unknownKey) String() string {
	count := ""
	if k.lines > 1 {
		count = fmt.Sprintf(" (the first of %d lines)", k.lines)
	}
	return fmt.Sprintf("%s%s: %s is left out, as Slurm %s has no such key%s%s", k.first, count, k.name, Series, k.of, faults.DidYouMean(k.name, k.known))
}

func namesOf(keys []Key) []string {
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
	}
	return names
}
