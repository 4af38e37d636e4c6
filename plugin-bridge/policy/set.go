package policy

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// PrioritySetting is the key of slurm.conf's PriorityType in Change.
const PrioritySetting = "priority"

// schedulerParameters is the key of slurm.conf whose words are settings.
const schedulerParameters = "SchedulerParameters"

// Setting is one setting of a policy: a parameter of the agent by its key in
// policies.yaml, "priority", a key of slurm.conf, or a word of its SchedulerParameters.
type Setting struct{ Key, Value string }

// ReadSetting reads a setting as the command line has it, KEY=VALUE.
func ReadSetting(text string) (Setting, error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return Setting{}, fmt.Errorf("got %q, want KEY=VALUE, as in bf_window=5760", text)
	}
	return Setting{Key: key, Value: value}, nil
}

// Word is the setting as part of the name of a policy, in which not all letters are allowed. It is what --policies takes.
func (s Setting) Word() string {
	other := regexp.MustCompile(`[^A-Za-z0-9_.+-]`)
	return other.ReplaceAllString(s.Key, "-") + "=" + other.ReplaceAllString(s.Value, "-")
}

// longestName is the most letters of a policy's name, which is a part of names of directories.
const longestName = 120

// JoinName makes the name of a policy from another policy's name and the words of its settings. A name that would be
// too long is cut, and ends with a sum of all of it.
func JoinName(parts ...string) string {
	name := strings.Join(parts, "+")
	if len(name) <= longestName {
		return name
	}
	sum := fmt.Sprintf("-%.4x", sha256.Sum256([]byte(name)))
	return name[:longestName-len(sum)] + sum
}

// Change returns the policy under another name with the settings in the place of its
// own. The error lists each setting that is unknown, not allowed or without effect.
func (p Policy) Change(name string, changes ...Setting) (Policy, error) {
	// Only the words of settings have "=".
	list := []error{CheckName(trace.HyphenedPolicy(name))}
	for _, s := range changes {
		list = append(list, p.set(s))
	}
	p.Name = name
	if err := errors.Join(list...); err != nil {
		return p, err
	}
	return p, p.Validate()
}

// ChangeWhere is Change with the settings that the policy has, which alone become part of its name. It leaves out the
// others; Lacks says why.
func (p Policy) ChangeWhere(changes ...Setting) (Policy, error) {
	words := []string{p.Name}
	var list []error
	for _, s := range changes {
		if p.Lacks(s.Key) != "" {
			continue
		}
		words = append(words, s.Word())
		list = append(list, p.set(s))
	}
	if err := errors.Join(list...); err != nil || len(words) == 1 {
		return p, err
	}
	p.Name = JoinName(words...)
	return p, p.Validate()
}

// Lacks says why a setting of that key has no effect under the policy, "" if it has one or
// if no policy has the key.
func (p Policy) Lacks(key string) string {
	for _, k := range p.Parameters.knobs() {
		switch {
		case k.name != key || k.recordOnly:
		case !p.HasAgent():
			return p.Name + " has no agent"
		case !k.reads(p.Parameters.Method):
			return fmt.Sprintf("%s decides by the program %s, which does not read it", p.Name, p.Parameters.Method)
		}
	}
	switch {
	case p.HasAgent() && isPriorityLine(key):
		return fmt.Sprintf("the agent of %s computes priorities itself", p.Name)
	case strings.HasPrefix(key, "bf_") && p.Scheduler.Type != conf.Backfill && slices.Contains(schedulerWords(), key):
		return fmt.Sprintf("%s has the scheduler %s", p.Name, p.Scheduler.Type)
	default:
		return ""
	}
}

// set changes one setting.
func (p *Policy) set(s Setting) error {
	if why := p.Lacks(s.Key); why != "" {
		return fmt.Errorf("%s: has no effect, as %s", s.Key, why)
	}
	for _, k := range p.Parameters.knobs() {
		if k.name != s.Key || k.recordOnly {
			continue
		}
		if err := k.read(s.Value); err != nil {
			return fmt.Errorf("%s: %w", s.Key, err)
		}
		return nil
	}
	if s.Key == PrioritySetting {
		p.Priority = priority.Type(s.Value)
		return nil
	}
	if known, err := p.setLine(s); known {
		return err
	}
	return p.setWord(s)
}

// setWord changes a word of SchedulerParameters.
func (p *Policy) setWord(s Setting) error {
	if !slices.Contains(schedulerWords(), s.Key) {
		return unknownKey(s.Key)
	}
	if why := p.Lacks(s.Key); why != "" {
		return fmt.Errorf("%s: has no effect, as %s", s.Key, why)
	}
	return p.setScheduler(s)
}

// unknownKey is the fault of a key that no policy has.
func unknownKey(key string) error {
	return fmt.Errorf("%s: unknown setting, allowed are parameters of the agent (slurmlab policy describe auction), priority, and of slurm.conf(5) its lines and the words of SchedulerParameters%s",
		key, faults.DidYouMean(strings.ReplaceAll(key, "-", "_"), SettingKeys()))
}

// SettingKeys are all keys that a Setting can have, of any policy.
func SettingKeys() []string {
	var p Policy
	return slices.Concat(p.settingKeys(), schedulerWords(), conf.Keys(), []string{schedulerParameters})
}

// settingKeys are the keys of the agent's parameters, and the priority's.
func (p *Policy) settingKeys() []string {
	keys := []string{PrioritySetting}
	for _, k := range p.Parameters.knobs() {
		if !k.recordOnly {
			keys = append(keys, k.name)
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

// schedulerWords are those of SchedulerParameters that slurm.conf(5) of Slurm 24.11 and of 26.05
// have. Slurm takes any word and heeds those that it knows.
func schedulerWords() []string {
	return []string{
		"allow_zero_lic", "assoc_limit_stop", "batch_sched_delay", "bb_array_stage_cnt", "bf_allow_magnetic_slot", "bf_busy_nodes", "bf_continue",
		"bf_hetjob_immediate", "bf_hetjob_prio", "bf_interval", "bf_job_part_count_reserve", "bf_licenses", "bf_max_job_array_resv", "bf_max_job_assoc",
		"bf_max_job_part", "bf_max_job_start", "bf_max_job_test", "bf_max_job_user", "bf_max_job_user_part", "bf_max_time", "bf_min_age_reserve",
		"bf_min_prio_reserve", "bf_node_space_size", "bf_one_resv_per_job", "bf_resolution", "bf_running_job_reserve", "bf_topopt_enable",
		"bf_topopt_iterations", "bf_window", "bf_window_linear", "bf_yield_interval", "bf_yield_sleep", "build_queue_timeout", "correspond_after_task_cnt",
		"default_queue_depth", "defer", "defer_batch", "delay_boot", "disable_hetjob_steps", "disable_job_shrink", "enable_user_top", "extra_constraints",
		"ignore_constraint_validation", "Ignore_NUMA", "ignore_prefer_validation", "max_array_tasks", "max_rpc_cnt", "max_sched_time", "max_script_size",
		"max_submit_line_size", "max_switch_wait", "no_backup_scheduling", "nohold_on_prolog_fail", "pack_serial_at_end", "partition_job_depth",
		"reduce_completing_frag", "salloc_wait_nodes", "sbatch_wait_nodes", "sched_interval", "sched_max_job_start", "sched_min_interval",
		"spec_cores_first", "step_retry_count", "step_retry_time", "time_min_as_soft_limit", "whole_hetjob",
	}
}
