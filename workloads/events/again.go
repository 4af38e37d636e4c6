package events

import (
	"slices"
	"strings"
)

// Again returns, of events that are over, the updates to repeat to a slurmctld that was started from its saved state.
// Slurmctld restores most settings of partitions and nodes from there, but not DefMemPerCPU, MaxMemPerNode,
// TRESBillingWeights, JobDefaults and Weight. It restores reservations as a whole. Again leaves out words that a
// later update overwrites, so that no past setting is in force for a moment. It leaves out Reason and ResumeAfter of
// a node, which later events may have changed.
func Again(over []Event) []Event {
	// set has, by what is updated, the keys that later updates set.
	set := map[string]map[string]bool{}
	var list []Event
	for _, e := range slices.Backward(over) {
		words := strings.Fields(e.Setting)
		if e.Kind != Update || len(words) == 0 {
			continue
		}
		kind, of, _ := strings.Cut(words[0], "=")
		kind = strings.ToLower(kind)
		if kind == "reservationname" {
			continue
		}
		later := set[kind+"="+of]
		if later == nil {
			later = map[string]bool{}
			set[kind+"="+of] = later
		}
		kept := words[:1:1]
		for _, word := range words[1:] {
			if key, _ := changed(word); !later[key] && (kind != "nodename" || key != "reason" && key != "resumeafter") {
				kept = append(kept, word)
			}
		}
		for _, word := range words[1:] {
			if key, whole := changed(word); whole {
				later[key] = true
			}
		}
		if len(kept) > 1 {
			e.Setting = strings.Join(kept, " ")
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list
}

// changed is what a word of an update changes, and whether it says the whole value: Nodes+=n1 and Nodes=-n1 do not.
func changed(word string) (key string, whole bool) {
	name, value, _ := strings.Cut(word, "=")
	key = strings.TrimRight(name, "+-")
	return strings.ToLower(key), key == name && !strings.HasPrefix(value, "+") && !strings.HasPrefix(value, "-")
}
