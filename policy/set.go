package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
)

// prioritySetting is the key of slurm.conf's PriorityType in Change.
const prioritySetting = "priority"

// Setting is one setting of a policy: a parameter of the agent by its key in
// policies.yaml, "priority", or a word of slurm.conf's SchedulerParameters.
type Setting struct{ Key, Value string }

// Change returns the policy under another name with the settings in the place of its
// own. The error lists each setting that is unknown, not allowed or without effect.
func (p Policy) Change(name string, settings ...Setting) (Policy, error) {
	list := []error{CheckName(name)}
	for _, s := range settings {
		list = append(list, p.set(s))
	}
	p.Name = name
	if err := errors.Join(list...); err != nil {
		return p, err
	}
	return p, p.Validate()
}

// set changes one setting.
func (p *Policy) set(s Setting) error {
	for _, k := range p.Parameters.knobs() {
		if k.fileKey() != s.Key || k.place&inFile == 0 {
			continue
		}
		if !p.HasAgent() {
			return fmt.Errorf("%s: has no effect, as %s has no agent", s.Key, p.Name)
		}
		if k.methods != nil && !slices.Contains(k.methods, p.Parameters.Method) {
			return fmt.Errorf("%s: has no effect, as %s decides by the program %s, which does not read it", s.Key, p.Name, p.Parameters.Method)
		}
		if err := k.Set(s.Value); err != nil {
			return fmt.Errorf("%s: %q is not allowed: %w", s.Key, s.Value, err)
		}
		return nil
	}
	if s.Key == prioritySetting {
		p.Priority = priority.Type(s.Value)
		return nil
	}
	if !slices.Contains(schedulerWords(), s.Key) {
		known := append(p.settingKeys(), schedulerWords()...)
		return fmt.Errorf("%s: unknown setting, allowed are parameters of policies.yaml, priority, and the words of SchedulerParameters in slurm.conf(5)%s",
			s.Key, faults.DidYouMean(s.Key, known))
	}
	if strings.HasPrefix(s.Key, "bf_") && p.Scheduler.Type != conf.Backfill {
		return fmt.Errorf("%s: has no effect, as %s has the scheduler %s", s.Key, p.Name, p.Scheduler.Type)
	}
	return p.setScheduler(s)
}

// settingKeys are those of the agent's parameters, and the priority's.
func (p *Policy) settingKeys() []string {
	keys := []string{prioritySetting}
	for _, k := range p.Parameters.knobs() {
		if k.place&inFile != 0 {
			keys = append(keys, k.fileKey())
		}
	}
	return keys
}

// setScheduler puts a word into SchedulerParameters in the place of the one of its name.
// "true" is the word alone, "false" leaves it out.
func (p *Policy) setScheduler(s Setting) error {
	if !regexp.MustCompile(`^[A-Za-z0-9_.:-]+$`).MatchString(s.Value) {
		return fmt.Errorf("%s: %q is not allowed, want a number, true, false or a word of slurm.conf", s.Key, s.Value)
	}
	words := strings.FieldsFunc(p.Scheduler.Parameters, func(r rune) bool { return r == ',' })
	at := slices.IndexFunc(words, func(word string) bool {
		key, _, _ := strings.Cut(word, "=")
		return key == s.Key
	})
	word := s.Key + "=" + s.Value
	if s.Value == "true" {
		word = s.Key
	}
	switch {
	case s.Value == "false" && at >= 0:
		words = slices.Delete(words, at, at+1)
	case s.Value == "false":
	case at >= 0:
		words[at] = word
	default:
		words = append(words, word)
	}
	p.Scheduler.Parameters = strings.Join(words, ",")
	return nil
}

// schedulerWords are those of SchedulerParameters in slurm.conf(5) of Slurm 24.11 and
// 26.05 that change when jobs start which are alone in their partition.
func schedulerWords() []string {
	return []string{
		"assoc_limit_stop", "batch_sched_delay", "bf_busy_nodes", "bf_continue", "bf_interval", "bf_job_part_count_reserve",
		"bf_max_job_start", "bf_max_job_test", "bf_max_job_user", "bf_max_time", "bf_min_age_reserve", "bf_min_prio_reserve",
		"bf_node_space_size", "bf_resolution", "bf_window", "bf_window_linear", "bf_yield_interval", "bf_yield_sleep",
		"default_queue_depth", "defer", "defer_batch", "max_rpc_cnt", "max_sched_time", "max_switch_wait", "pack_serial_at_end",
		"partition_job_depth", "sched_interval", "sched_max_job_start", "sched_min_interval", "spec_cores_first",
	}
}
