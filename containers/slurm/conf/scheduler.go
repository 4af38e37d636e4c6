package conf

import (
	"errors"
	"fmt"
	"strings"
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
	// External holds every job for a scheduler outside Slurm. Slurm then runs
	// sched/builtin, which never looks at a held job.
	External bool `json:"external,omitempty" yaml:"external"`
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
	if s.External && s.Type != Builtin {
		faults = append(faults, fmt.Errorf("scheduler: an external one beside %s is not allowed, want %s", s.Type, Builtin))
	}
	return errors.Join(faults...)
}
