package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
)

// saveFlights returns the function that replaces the file of the jobs in flight.
func saveFlights(path string) func([]agent.Flight) error {
	return func(flights []agent.Flight) error {
		if err := replace(path, flights); err != nil {
			return fmt.Errorf("save jobs in flight: %w", err)
		}
		return nil
	}
}

// loadFlights returns what an agent before this one saved, nothing if there was none.
func loadFlights(path string) ([]agent.Flight, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("load jobs in flight: %w", err)
	}
	var flights []agent.Flight
	if err = json.Unmarshal(data, &flights); err != nil {
		return nil, fmt.Errorf("load jobs in flight: %s: %w", path, err)
	}
	return flights, nil
}
