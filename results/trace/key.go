package trace

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Key is a short name of what a run was asked to do: the settings that
// [Settings.Differences] compares, but for the software that carried it out. Runs with
// the same key are the same experiment; the beginning of a SHA-256 has 16 digits.
func (s Settings) Key() (string, error) {
	values := map[string]any{}
	for _, field := range settings() {
		switch field.name {
		case "tool_version", "git_revision", "image_id", "slurm_version", "backend":
		case "slurm":
			// The key stays what it is in manifests from before form and series were two words.
			if word := inJSON(s.Former()); word != nil {
				values[field.name] = word
			}
		case "policy":
			// It stays for names from before settings in them had "=".
			values[field.name] = HyphenedPolicy(s.PolicyToday())
		default:
			if value := inJSON(field.value(s)); value != nil {
				values[field.name] = value
			}
		}
	}
	// Keys of a map are written in order.
	text, err := json.Marshal(values)
	if err != nil {
		return "", fmt.Errorf("key of run: %w", err)
	}
	return fmt.Sprintf("%.8x", sha256.Sum256(text)), nil
}
