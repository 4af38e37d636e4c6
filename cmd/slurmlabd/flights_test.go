package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// What an agent knew of its jobs in flight survives it: all of it or, broken, nothing.
func TestFlightsSurvive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flights.json")
	if got, err := loadFlights(path); got != nil || err != nil {
		t.Fatalf("the first agent found %v, %v", got, err)
	}
	want := []agent.Flight{{
		Slurm: 7, Limit: time.Hour, Exclusive: true,
		Holding: machine.Holding{
			Job: 7, Allocation: machine.Allocation{Nodes: []int{2, 5}, Cores: []int{8, 4}, GPUs: 2, MemoryPerCore: 100},
			Licences: machine.Licences{{Name: "matlab", Count: 2}},
		},
	}}
	for range 2 {
		if err := saveFlights(path)(want); err != nil {
			t.Fatal(err)
		}
		if got, err := loadFlights(path); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	if err := os.WriteFile(path, []byte(`[{"Slurm":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := loadFlights(path); got != nil || err == nil {
		t.Errorf("a broken file: %v, %v", got, err)
	}
}
