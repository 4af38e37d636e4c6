package metric

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/slurmlab/slurmlab/results/trace"
)

// Read reads metrics.json; name is used in errors. An unknown schema version is
// refused, unknown keys are ignored.
func Read(r io.Reader, name string) (Metrics, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Metrics{}, fmt.Errorf("read %s: %w", name, err)
	}
	var head struct {
		SchemaVersion int `json:"schema_version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Metrics{}, fmt.Errorf("read %s: %w", name, err)
	}
	if head.SchemaVersion != trace.SchemaVersion {
		return Metrics{}, fmt.Errorf("read %s: field schema_version: %d is unknown, want %d", name, head.SchemaVersion, trace.SchemaVersion)
	}
	var m Metrics
	if err := json.Unmarshal(data, &m); err != nil {
		return Metrics{}, fmt.Errorf("read %s: %w", name, err)
	}
	return m, nil
}
