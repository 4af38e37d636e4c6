package main

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/workloads"
)

// By value a wide and short job goes before a long one that came first, as in the auction; among equals the first one does.
func TestOrderByValue(t *testing.T) {
	s := State{Nodes: machine.IdleNodes(4, 8, 0), Now: 10, Waiting: []workloads.Job{
		{ID: 1, Cores: 8, Limit: 7200}, {ID: 2, Cores: 16, Limit: 3600}, {ID: 3, Cores: 8, Limit: 3600}, {ID: 4, Cores: 8, Limit: 3600},
	}}
	var got []int
	for _, j := range Order(ByValue).sorted(s) {
		got = append(got, j.ID)
	}
	if want := []int{2, 3, 4, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
