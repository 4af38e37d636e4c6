package policy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Site is the name of the policy of a site's slurm.conf.
const Site = "site"

// priorityDefaults are the values of slurm.conf(5) of the lines that the order
// priority.Multifactor has otherwise.
func priorityDefaults() []Setting {
	return []Setting{{"PriorityWeightAge", "0"}, {"PriorityWeightJobSize", "0"}, {"PriorityMaxAge", "7-0"}, {"PriorityCalcPeriod", "5"}}
}

// Left is a setting of a site that its policy does not have, and why.
type Left struct {
	Setting
	Why error
}

// OfSite is the policy that schedules as a site's slurm.conf says, whose lines about scheduling are given, each key once in any
// spelling; and the lines that it cannot have. What slurm.conf lacks has the default of Slurm 26.05: sched/backfill, and
// priority/multifactor.
func OfSite(lines []Setting) (Policy, []Left, error) {
	p := Policy{
		Name: Site, About: "the scheduler of the site's slurm.conf", Source: "slurm.conf, by slurmlab machine import",
		Scheduler: conf.Scheduler{Type: conf.Backfill}, Priority: priority.Multifactor, Parameters: DefaultParameters(),
	}
	var left []Left
	var others []Setting
	for _, line := range lines {
		switch {
		case strings.EqualFold(line.Key, "SchedulerType"):
			if p.Scheduler.Type = strings.ToLower(line.Value); p.Scheduler.Validate() != nil {
				p.Scheduler.Type = conf.Backfill
				left = append(left, Left{line, fmt.Errorf("it is none of %s and %s; here it is %s", conf.Builtin, conf.Backfill, conf.Backfill)})
			}
		case strings.EqualFold(line.Key, "PriorityType"):
			if strings.EqualFold(line.Value, priority.Basic.Plugin()) {
				p.Priority = priority.Basic
			}
		default:
			others = append(others, line)
		}
	}
	if p.Priority != priority.Basic {
		for _, line := range priorityDefaults() {
			if err := p.set(line); err != nil {
				return p, left, err
			}
		}
	}
	for _, line := range others {
		left = append(left, p.take(line)...)
	}
	return p, left, p.Validate()
}

// take sets a line of a site's slurm.conf, and returns what it cannot.
func (p *Policy) take(line Setting) []Left {
	line.Key = conf.SpelledKey(line.Key)
	if line.Key == schedulerParameters {
		return p.takeWords(line.Value)
	}
	if p.Priority == priority.Basic && strings.HasPrefix(line.Key, "Priority") {
		return []Left{{line, fmt.Errorf("it has no effect with PriorityType=%s", p.Priority.Plugin())}}
	}
	if err := p.set(line); err != nil {
		return []Left{{line, errors.New(strings.TrimPrefix(err.Error(), line.Key+": "))}}
	}
	return nil
}

// takeWords sets the words of SchedulerParameters one by one, since Slurm ignores those that it does not know.
func (p *Policy) takeWords(words string) []Left {
	var left []Left
	for word := range strings.SplitSeq(words, ",") {
		// Slurm looks for a word anywhere in the list (xstrcasestr), as after a second equals sign.
		key, value, has := strings.Cut(strings.TrimLeft(strings.TrimSpace(word), "="), "=")
		if !has {
			value = "true"
		}
		if err := p.setWord(Setting{key, value}); err != nil && key != "" {
			left = append(left, Left{Setting{schedulerParameters, word}, errors.New("slurm.conf(5) has no such word, or not with this scheduler")})
		}
	}
	return left
}

// File is a file with the policy for --policy-file, below a comment of the given lines. The policy has no agent.
func (p Policy) File(comment ...string) string {
	var b strings.Builder
	for _, line := range comment {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	fmt.Fprintf(&b, "- name: %q\n  about: %q\n  source: %q\n  scheduler: {type: %s", p.Name, p.About, p.Source, p.Scheduler.Type)
	if p.Scheduler.Parameters != "" {
		fmt.Fprintf(&b, ", parameters: %q", p.Scheduler.Parameters)
	}
	fmt.Fprintf(&b, "}\n  priority: %s\n", p.Priority)
	lines := append(conf.CutPriority(p.Scheduler.Priority), conf.ParseLines(p.Scheduler.Lines)...)
	if len(lines) > 0 {
		b.WriteString("  settings:\n")
	}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		fmt.Fprintf(&b, "    %s: %q\n", key, value)
	}
	return b.String()
}
