package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The values of Run.Clock.
const (
	ClockReal = "real"
	// ClockScaled multiplies all times that Slurm measures, of its own thinking
	// too, by TimeScale.
	ClockScaled = "scaled"
	// ClockJump skips the time in which nothing computes; thinking takes its
	// real time divided by ThinkScale.
	ClockJump = "jump"
)

// PriorityBasic is the Run.PriorityType of runs that do not say.
const PriorityBasic = "priority/basic"

// ClockText names a clock with its scale, if that is not 1: "scaled ×20".
func ClockText(clock string, timeScale, thinkScale float64) string {
	switch {
	case clock == ClockScaled:
		return fmt.Sprintf("%s ×%g", clock, timeScale)
	case clock == ClockJump && thinkScale != 1:
		return fmt.Sprintf("%s, thinking ×%g", clock, thinkScale)
	default:
		return clock
	}
}

// EncodeRun writes run.json. It refuses a run that DecodeRun would refuse.
func EncodeRun(w io.Writer, run Run) error {
	if err := run.validate(); err != nil {
		return fmt.Errorf("write run %s: %w", run.ID, err)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	if err := out.Encode(run); err != nil {
		return fmt.Errorf("write run %s: %w", run.ID, err)
	}
	return nil
}

// DecodeRun reads run.json; name is used in errors. An unknown schema version
// is refused before anything else is looked at; unknown fields are ignored, so
// that a newer tool may add some. A missing think_scale is 1, a missing
// priority_type "priority/basic".
func DecodeRun(r io.Reader, name string) (Run, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Run{}, fmt.Errorf("read %s: %w", name, err)
	}
	if err := checkSchemaVersion(data); err != nil {
		return Run{}, fmt.Errorf("read %s: %w", name, err)
	}
	var run Run
	if err := json.Unmarshal(data, &run); err != nil {
		return Run{}, fmt.Errorf("read %s: %w", name, err)
	}
	// Runs from before there was a jump clock have none.
	if run.ThinkScale == 0 {
		run.ThinkScale = 1
	}
	run.FillIn()
	run.Policy = run.policyOfOldName()
	run.PriorityType = cmp.Or(run.PriorityType, PriorityBasic)
	if err := run.validate(); err != nil {
		return Run{}, fmt.Errorf("read %s: %w", name, err)
	}
	return run, nil
}

func checkSchemaVersion(data []byte) error {
	var head struct {
		SchemaVersion *int `json:"schema_version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	if head.SchemaVersion == nil {
		return fmt.Errorf("field schema_version is missing, want %d", SchemaVersion)
	}
	if *head.SchemaVersion != SchemaVersion {
		return fmt.Errorf("field schema_version: %d is unknown, want %d", *head.SchemaVersion, SchemaVersion)
	}
	return nil
}

// validate lists what would make the numbers of a run meaningless.
func (r Run) validate() error {
	var faults []error
	if r.SchemaVersion != SchemaVersion {
		faults = append(faults, fmt.Errorf("field schema_version: %d is unknown, want %d", r.SchemaVersion, SchemaVersion))
	}
	switch r.Status {
	case StatusComplete:
		if r.Reason != "" {
			faults = append(faults, fmt.Errorf("field reason: want none in a complete run, got %q", r.Reason))
		}
	case StatusIncomplete, StatusFailed:
		if r.Reason == "" {
			faults = append(faults, fmt.Errorf("field reason: want the reason why the run is %s", r.Status))
		}
	default:
		faults = append(faults, fmt.Errorf("field status: %q: want complete, incomplete or failed", r.Status))
	}
	faults = append(faults, r.validateEnds()...)
	faults = append(faults, r.Machine.CheckSize("field machine"))
	if r.Window < 0 || r.Window > r.Windows || r.Windows > 0 && r.Window == 0 {
		faults = append(faults, fmt.Errorf("field window: %d: want 1 to windows=%d, or neither", r.Window, r.Windows))
	}
	faults = append(faults, r.validateClock())
	if r.Core != nil && *r.Core < 0 {
		faults = append(faults, fmt.Errorf("field core: %d: want 0 or more", *r.Core))
	}
	if r.Fidelity != nil {
		faults = append(faults, r.Fidelity.validate(r.Clock))
	}
	faults = append(faults, r.Lateness.validate())
	return errors.Join(faults...)
}

// validateClock refuses scales that the clock does not have. The clock itself
// may be unnamed: a run can break before it has one.
func (r Run) validateClock() error {
	var faults []error
	switch r.Clock {
	case "", ClockReal, ClockScaled, ClockJump:
	default:
		faults = append(faults, fmt.Errorf("field clock: %q: want %s, %s or %s", r.Clock, ClockReal, ClockScaled, ClockJump))
	}
	switch {
	case r.TimeScale < 0 || r.Clock == ClockScaled && r.TimeScale == 0:
		faults = append(faults, fmt.Errorf("field time_scale: %g: want more than 0", r.TimeScale))
	case r.Clock == ClockJump && r.TimeScale != 1:
		faults = append(faults, fmt.Errorf("field time_scale: %g: want 1 under clock %s", r.TimeScale, r.Clock))
	}
	switch {
	case r.ThinkScale < 0:
		faults = append(faults, fmt.Errorf("field think_scale: %g: want more than 0", r.ThinkScale))
	case r.ThinkScale > 0 && r.ThinkScale != 1 && r.Clock != ClockJump:
		faults = append(faults, fmt.Errorf("field think_scale: %g: want 1, only clock %s has another", r.ThinkScale, ClockJump))
	}
	return errors.Join(faults...)
}

// ShortID is the beginning of an image's id.
func ShortID(id string) string {
	const digits = len("sha256:") + 12
	return id[:min(len(id), digits)]
}
