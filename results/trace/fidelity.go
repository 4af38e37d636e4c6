package trace

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// validate refuses counts that cannot be true, such as negative seconds or jumps
// under a clock that does not jump.
func (f Fidelity) validate(clock string) error {
	var faults []error
	if jump := clock == ClockJump; jump != (f.Jump != nil) {
		faults = append(faults, fmt.Errorf("field fidelity.jump: want it under clock %s and only there, the clock is %q", ClockJump, clock))
	}
	check := func(name string, seconds float64) {
		if seconds < 0 {
			faults = append(faults, fmt.Errorf("field fidelity.%s: %g: want 0 or more", name, seconds))
		}
	}
	check("real_s", f.RealSeconds)
	check("virtual_s", f.VirtualSeconds)
	check("foreign_s", f.ForeignSeconds)
	check("stolen_s", f.StolenSeconds)
	for _, part := range slices.Sorted(maps.Keys(f.BusySeconds)) {
		check("busy_s."+part, f.BusySeconds[part])
	}
	if f.Jump != nil {
		check("jump.skipped_s", f.Jump.SkippedSeconds)
		check("jump.longest_busy_s", f.Jump.LongestBusySeconds)
		check("jump.restarts", float64(f.Jump.Restarts))
		check("jump.standstills", float64(f.Jump.Standstills))
	}
	for i, s := range f.Stops {
		check(fmt.Sprintf("stops[%d].real_s", i), s.Seconds)
	}
	return errors.Join(faults...)
}

// Others may use a cluster's core for QuietShare of the real time of its run, or for QuietSeconds. That is Slurm's
// unit of time, so that even the last of a run's times is late by one unit at most. Beyond both the CPU times are
// doubtful.
const (
	QuietShare   = 0.02
	QuietSeconds = 1.0
)

// QuietLimit says in words what is beyond both.
func QuietLimit() string {
	return fmt.Sprintf("more than %g %% of the core and more than %g s", 100*QuietShare, QuietSeconds)
}

// LateLimit says what of a run's Latest is beyond both.
func LateLimit() string {
	return fmt.Sprintf("more than %g %% of the run's real time and more than %g s", 100*QuietShare, QuietSeconds)
}

// quietLimit is that limit in a run of so many real seconds.
func quietLimit(realSeconds float64) float64 { return max(QuietShare*realSeconds, QuietSeconds) }

// lateLimit is the most virtual seconds that anything may come late in a quiet run: others who use the core up to the quiet
// limit make the cluster no later than that.
func (r Run) lateLimit() float64 { return quietLimit(r.RealSeconds) * max(1, r.TimeScale) }

// QuietCore reports whether others left the core to the cluster, as far as is known.
func (r Run) QuietCore() bool {
	f := r.Fidelity
	return f == nil || f.ForeignSeconds+f.StolenSeconds <= quietLimit(f.RealSeconds)
}

// Quiet reports whether the virtual time of the run can be trusted, as far as is known: others left the core to the cluster,
// and what happened came in time.
func (r Run) Quiet() bool { return r.Disturbance() == "" }

// Disturbance names what disturbed the run; empty for a quiet one.
func (r Run) Disturbance() string {
	var by []string
	if !r.QuietCore() {
		by = append(by, "other programs on its core")
	}
	if late := r.TooLate(); late != "" {
		by = append(by, "its clock: "+late)
	}
	return strings.Join(by, " and by ")
}

// TooLate says what was off most if that is beyond the limit of a quiet run; empty for nothing.
func (r Run) TooLate() string {
	worst, known := r.Lateness.worst()
	if !known || math.Abs(worst.Most) <= r.lateLimit() {
		return ""
	}
	return worst.text()
}

// Disturbed is the part of the run's real time that others took on its core: other programs, and
// the hypervisor. It is NaN where that is not known, as without a core of its own.
func (r Run) Disturbed() float64 {
	f := r.Fidelity
	if f == nil || f.RealSeconds == 0 || r.Core == nil {
		return math.NaN()
	}
	return (f.ForeignSeconds + f.StolenSeconds) / f.RealSeconds
}
