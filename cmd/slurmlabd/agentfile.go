package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/slurmlab/slurmlab/emulator/watch"
)

// saveAgent replaces the file that says how the agent stands.
func saveAgent(path string, a watch.Agent) error {
	if err := replace(path, a); err != nil {
		return fmt.Errorf("save the state of the agent: %w", err)
	}
	return nil
}

// loadAgent reads what saveAgent wrote.
func loadAgent(path string) (*watch.Agent, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load the state of the agent: %w", err)
	}
	a := new(watch.Agent)
	if err = json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("load the state of the agent: %s: %w", path, err)
	}
	return a, nil
}

// replace writes a value as JSON in place of a file, at once. Another process may read it at any time, and one that
// is killed leaves the old or the new value, never a part of one. Only one process may write to a path.
func replace(path string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	next := path + ".next"
	if err = os.WriteFile(next, data, 0o644); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return os.Rename(next, path)
}
