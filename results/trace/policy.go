package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// schedBackfill is the Run.SchedulerType of Slurm's backfill.
const schedBackfill = "sched/backfill"

// The policies that recorded runs are compared with by name.
const (
	// Backfill is Slurm's own sched/backfill with the strongest parameters that we know.
	Backfill = "backfill"
	// WholeQueue is sched/backfill in the order of submission, the set nearest to the
	// papers' own backfill.
	WholeQueue = "backfill-whole-queue"
	// Again ends the name of a policy that is there a second time, to be compared with itself.
	Again = "+again"
)

// Both names were given to other settings, and the tuned backfill had one of its own; see docs/design/012.
const (
	sizeByTime     = "backfill-size-by-time"
	oneReservation = "bf_job_part_count_reserve="
)

// PolicyToday is the name that the policy of the run has today. Runs recorded as "backfill" before the tuned backfill
// took that name have "backfill-whole-queue". Their SchedulerParameters keep no reservation, or are not recorded.
// What was "backfill-size-by-time" is "backfill".
func (s Settings) PolicyToday() string {
	switch {
	case s.Policy == Backfill && !strings.Contains(s.SchedulerParameters, oneReservation):
		return WholeQueue
	case s.Policy == sizeByTime && strings.Contains(s.SchedulerParameters, oneReservation):
		return Backfill
	default:
		return s.Policy
	}
}

// HyphenedPolicy is the name of a policy with "auction+window-5" for "auction+window=5": as folders have it, and as records
// and campaign files had it before.
func HyphenedPolicy(name string) string { return strings.ReplaceAll(name, "=", "-") }

// policyOfOldName is the name of the policy as --policies takes it, "auction+window=5". Before names were written so, they
// had "auction+window-5". A name that somebody chose may look alike, so only keys that the run has are keys.
func (r Run) policyOfOldName() string {
	return regexp.MustCompile(`\+[A-Za-z_]+-`).ReplaceAllStringFunc(r.Policy, func(word string) string {
		key := word[1 : len(word)-1]
		if r.isSetting(key) {
			return "+" + key + "="
		}
		return word
	})
}

// isSetting says whether a key of that name can have been set in the run: a line of slurm.conf, a word of
// SchedulerParameters or a parameter of the agent.
func (r Run) isSetting(key string) bool {
	var parameters map[string]json.RawMessage
	if r.HasAgent() && json.Unmarshal(r.Parameters, &parameters) != nil {
		return false
	}
	_, ofAgent := parameters[key]
	return ofAgent || key == "priority" || strings.HasPrefix(key, "bf_") || unicode.IsUpper(rune(key[0])) ||
		strings.Contains(","+r.SchedulerParameters, ","+key+"=")
}

// CheckPolicyNames refuses runs whose policies have one name and are two, since a table or a
// page of them would not tell which is which.
func CheckPolicyNames(runs []Run) error {
	var faults []error
	for i, run := range runs {
		other := slices.IndexFunc(runs[:i], func(r Run) bool { return r.Policy == run.Policy && r.PolicyToday() != run.PolicyToday() })
		if other >= 0 {
			faults = append(faults, fmt.Errorf("policy: %s is %s in run %s and %s in run %s, want runs of one of them at a time",
				run.Policy, runs[other].PolicyToday(), runs[other].ID, run.PolicyToday(), run.ID))
		}
	}
	return errors.Join(faults...)
}

// HasAgent reports whether our agent scheduled the run, so that it has cycles;
// otherwise Slurm did alone. Only an agent has parameters.
func (r Run) HasAgent() bool {
	parameters := bytes.TrimSpace(r.Parameters)
	return len(parameters) > 0 && !bytes.Equal(parameters, []byte("{}")) && !bytes.Equal(parameters, []byte("null"))
}

// Backfilled reports whether Slurm's sched/backfill scheduled the run, so that
// sdiag's backfill passes say how. Before Run.SchedulerType was recorded it was the
// only scheduler of Slurm's that there was.
//
// An agent that orders its queue leaves all else to it.
func (r Run) Backfilled() bool {
	return r.SchedulerType == schedBackfill || r.SchedulerType == "" && !r.HasAgent()
}
