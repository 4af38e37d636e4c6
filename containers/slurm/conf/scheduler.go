package conf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// The values of slurm.conf's SchedulerType.
const (
	// Builtin is first in, first out.
	Builtin = "sched/builtin"
	// Backfill lets a job start before those in front of it if that delays none.
	Backfill = "sched/backfill"
)

// Scheduler says who decides which job starts where.
type Scheduler struct {
	// Type is slurm.conf's SchedulerType.
	Type string `json:"type" yaml:"type"`
	// Parameters are slurm.conf's SchedulerParameters, empty for Slurm's defaults.
	Parameters string `json:"parameters,omitempty" yaml:"parameters"`
	// External holds every job for a scheduler outside Slurm. Slurm's own, whichever it is, never looks at a held job.
	External bool `json:"external,omitempty" yaml:"external"`
	// Priority are lines of slurm.conf on priority, separated by commas, in the place of those
	// that the order of the queue has by itself.
	Priority string `json:"priority,omitempty" yaml:"-"`
	// Lines are other lines of slurm.conf, separated by blanks, in the place of those that a
	// cluster has by itself.
	Lines string `json:"lines,omitempty" yaml:"-"`
}

// CutPriority cuts Scheduler.Priority into its lines. Values may have commas.
func CutPriority(text string) []string {
	var lines []string
	for part := range strings.SplitSeq(text, ",") {
		switch {
		case strings.HasPrefix(part, "Priority"):
			lines = append(lines, part)
		case len(lines) > 0:
			lines[len(lines)-1] += "," + part
		}
	}
	return lines
}

// PriorityLines are the lines of slurm.conf on priority beside PriorityType.
func (s Scheduler) PriorityLines(order priority.Type) []string {
	lines := order.Lines()
	for _, line := range CutPriority(s.Priority) {
		key, _, _ := strings.Cut(line, "=")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+"=") })
		if at >= 0 {
			lines[at] = line
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// Asked are all lines of slurm.conf that a running Slurm has to have.
func (s Scheduler) Asked(order priority.Type) Lines {
	asked := Lines(s.PriorityLines(order))
	if s.Parameters != "" {
		asked = append(Lines{"SchedulerParameters=" + s.Parameters}, asked...)
	}
	return append(asked, ParseLines(s.Lines)...)
}

// linesFaults returns the faults of Lines. Their makers check them as well; here they become a file.
func (s Scheduler) linesFaults() []error {
	var faults []error
	for _, line := range ParseLines(s.Lines) {
		key, value, _ := strings.Cut(line, "=")
		faults = append(faults, CheckLine(key, value))
	}
	return faults
}

// Validate reports every fault of the scheduler.
func (s Scheduler) Validate() error {
	var faults []error
	if s.Type != Builtin && s.Type != Backfill {
		faults = append(faults, fmt.Errorf("scheduler: type %q is not allowed, want %s or %s", s.Type, Builtin, Backfill))
	}
	if strings.ContainsAny(s.Parameters, " \t\n#") {
		faults = append(faults, fmt.Errorf("scheduler: parameters %q are not allowed, want them without blanks, with commas between them", s.Parameters))
	}
	if strings.ContainsAny(s.Priority, " \t\n#") {
		faults = append(faults, fmt.Errorf("scheduler: priority %q is not allowed, want lines without blanks, with commas between them", s.Priority))
	}
	if s.External && s.Priority != "" {
		faults = append(faults, fmt.Errorf("scheduler: priority %q is not allowed beside an external one, which computes priorities itself", s.Priority))
	}
	return errors.Join(append(faults, s.linesFaults()...)...)
}
