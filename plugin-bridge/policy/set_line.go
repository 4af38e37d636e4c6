package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// priorityKey is a key of slurm.conf that changes the order of the queue under
// priority/multifactor, and whose values are known here.
type priorityKey struct {
	name string
	// takes says whether it may have a value, and allowed what it may have.
	takes   func(value string) bool
	allowed string
}

// priorityKeys are the keys of slurm.conf(5) whose factors each run has: age, size and partition of jobs.
func priorityKeys() []priorityKey {
	const ofWeight = "a whole number up to 4294967295"
	// Slurm reads weights as uint32 (src/common/read_config.c).
	weight := func(value string) bool { _, err := strconv.ParseUint(value, 10, 32); return err == nil }
	times := regexp.MustCompile(`^([0-9]{1,4}-)?[0-9]{1,6}(:[0-9]{2}){0,2}$`).MatchString
	return []priorityKey{
		{"PriorityWeightAge", weight, ofWeight},
		{"PriorityWeightJobSize", weight, ofWeight},
		{"PriorityWeightPartition", weight, ofWeight},
		{"PriorityMaxAge", times, "a time of Slurm such as 7-0 or 12:00:00; one number is minutes"},
		{"PriorityCalcPeriod", times, "a time of Slurm; one number is minutes"},
		{"PriorityFavorSmall", regexp.MustCompile(`^(YES|NO)$`).MatchString, "YES or NO"},
	}
}

// setLine puts a line of slurm.conf in the place of the policy's own. known says whether
// there is such a key.
func (p *Policy) setLine(s Setting) (known bool, err error) {
	switch {
	case s.Key == schedulerParameters:
		return true, p.setWords(s)
	case !conf.KnownKey(s.Key):
		return false, nil
	case isPriorityLine(s.Key):
		return true, p.setPriority(s)
	}
	if err = conf.CheckLine(s.Key, s.Value); err != nil {
		return true, err
	}
	if why := conf.PassesAgent(s.Key); p.HasAgent() && why != "" {
		return true, fmt.Errorf("%s: is not allowed with %s, as %s", s.Key, p.Name, why)
	}
	p.Scheduler.Lines = conf.ParseLines(p.Scheduler.Lines).With(s.Key, s.Value).String()
	return true, nil
}

// isPriorityLine says whether a key names a line of slurm.conf on priority that people can set.
func isPriorityLine(key string) bool {
	return strings.HasPrefix(key, "Priority") && slices.Contains(conf.Keys(), key)
}

// CheckSlurm refuses lines of slurm.conf that the Slurm of a release series, or of a kind of
// cluster whose name begins with it, does not have.
func (p Policy) CheckSlurm(series string) error {
	var faults []error
	for _, line := range conf.ParseLines(p.Scheduler.Lines) {
		key, _, _ := strings.Cut(line, "=")
		faults = append(faults, conf.CheckSeries(key, series))
	}
	return errors.Join(faults...)
}

// setPriority is setLine for a key on priority.
func (p *Policy) setPriority(s Setting) error {
	keys := priorityKeys()
	at := slices.IndexFunc(keys, func(k priorityKey) bool { return k.name == s.Key })
	if at >= 0 && !keys[at].takes(s.Value) {
		return fmt.Errorf("%s: %q is not allowed, want %s", s.Key, s.Value, keys[at].allowed)
	}
	if err := conf.CheckValue(s.Key, s.Value); err != nil {
		return err
	}
	lines := slices.DeleteFunc(conf.CutPriority(p.Scheduler.Priority), func(line string) bool { return strings.HasPrefix(line, s.Key+"=") })
	p.Scheduler.Priority = strings.Join(append(lines, s.Key+"="+s.Value), ",")
	return nil
}

// setWords has the words of a whole line SchedulerParameters in the place of the policy's own.
func (p *Policy) setWords(s Setting) error {
	var faults []error
	p.Scheduler.Parameters = ""
	for word := range strings.SplitSeq(s.Value, ",") {
		key, value, has := strings.Cut(word, "=")
		if !has {
			value = "true"
		}
		faults = append(faults, p.setWord(Setting{key, value}))
	}
	return errors.Join(faults...)
}
