package trace

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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
