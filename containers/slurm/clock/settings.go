package clock

import (
	"errors"
	"fmt"
	"time"
)

// Settings choose a clock for Start.
type Settings struct {
	Kind Kind `json:"kind"`
	// TimeScale is the virtual seconds per real second of a scaled clock.
	TimeScale float64 `json:"time_scale,omitempty"`
	// ThinkScale is how many times faster than here programs compute in the
	// virtual time of a jump clock; 0 means 1.
	ThinkScale float64 `json:"think_scale,omitempty"`
	// Start is the virtual time at which a jump clock starts, in whole seconds;
	// zero means DefaultStart.
	Start time.Time `json:"start,omitzero"`
	// Rounds are the threads, by name, whose waits end at a whole multiple of a
	// time under a jump clock; nil means DefaultRounds.
	Rounds map[string]time.Duration `json:"rounds,omitzero"`
}

// DefaultStart returns the virtual time at which a jump clock starts: a Monday, ten seconds after midnight. It is
// fixed, so that the dates of two runs of the same workload are the same. slurmctld resets its statistics at midnight
// (src/slurmctld/controller.c), and a run of less than a day must not lose them.
func DefaultStart() time.Time {
	return time.Date(2029, time.January, 1, 0, 0, 10, 0, time.UTC)
}

// DefaultRounds returns the waits that are rounded unless Settings say
// otherwise: those of threads that wake up each second and do nothing, so that
// most jumps would end there.
//
//   - acctg_prof, one in every slurmstepd, samples a profile, also when no profile
//     is wanted (_timer_thread in src/interfaces/acct_gather_profile.c).
//   - powersave, in the slurmctld of 26.05, looks for nodes to suspend, to resume
//     or to reboot, also when no program for that is configured
//     (_power_save_thread in src/slurmctld/power_save.c; that of 24.11 ends then).
func DefaultRounds() map[string]time.Duration {
	return map[string]time.Duration{"acctg_prof": time.Minute, "powersave": time.Minute}
}

// MaxTimeScale bounds Settings.TimeScale. Measured: at x60 a backfill cycle of
// 0.25 s of CPU already costs 15 virtual seconds and jobs run into their
// limits, so larger factors give no usable run.
const MaxTimeScale = 100

// Bounds of Settings.ThinkScale: on a computer a thousand times faster thinking takes
// no time worth mentioning, and on one a hundred times slower no cycle would end.
const (
	minThinkScale = 0.01
	maxThinkScale = 1000
)

// Validate reports every fault of the settings.
func (s Settings) Validate() error {
	var faults []error
	switch s.Kind {
	case KindReal:
	case KindScaled:
		// A NaN compares as false.
		if !(s.TimeScale >= 1 && s.TimeScale <= MaxTimeScale) {
			faults = append(faults, fmt.Errorf("time-scale: %g is not allowed, want 1 to %d", s.TimeScale, MaxTimeScale))
		}
	case KindJump:
		if s.ThinkScale != 0 && !(s.ThinkScale >= minThinkScale && s.ThinkScale <= maxThinkScale) {
			faults = append(faults, fmt.Errorf("think-scale: %g is not allowed, want %g to %d", s.ThinkScale, minThinkScale, maxThinkScale))
		}
		// Slurm keeps times in 32 bits here and there, and MariaDB's first
		// timestamps are those of 1970.
		if year := s.Start.Year(); !s.Start.IsZero() && (year < 2000 || year > 2037) {
			faults = append(faults, fmt.Errorf("start: %s is not allowed, want a time in the years 2000 to 2037", s.Start.Format(time.RFC3339)))
		}
	default:
		faults = append(faults, fmt.Errorf("clock: %q is not allowed, want %s, %s or %s", s.Kind, KindJump, KindScaled, KindReal))
	}
	return errors.Join(faults...)
}
