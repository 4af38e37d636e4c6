package trace

import (
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
// that a newer tool may add some.
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
	if r.Machine.Nodes < 1 || r.Machine.Cores < 1 || r.Machine.GPUs < 0 {
		faults = append(faults, fmt.Errorf("field machine: want at least one node and one core and no negative GPUs, got %d nodes of %d cores and %d GPUs",
			r.Machine.Nodes, r.Machine.Cores, r.Machine.GPUs))
	}
	if r.TimeScale < 0 || r.Clock == ClockScaled && r.TimeScale == 0 {
		faults = append(faults, fmt.Errorf("field time_scale: %g: want more than 0", r.TimeScale))
	}
	return errors.Join(faults...)
}
