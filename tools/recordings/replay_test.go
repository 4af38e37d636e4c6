package main

import (
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// TestReplay: a job holds its nodes from the cycle after its release until its end. Jobs not released are the window
// in the order of submission. A cycle whose record says otherwise is left out.
func TestReplay(t *testing.T) {
	job := func(id int, finish float64) trace.FinishedJob {
		return trace.FinishedJob{Job: workloads.Job{ID: id, Cores: 6, Limit: 60}, SlurmID: id + 10, Finish: finish}
	}
	data := trace.Data{
		Run:  trace.Run{ID: "r", Settings: trace.Settings{Machine: workloads.Machine{Nodes: 3, Cores: 4, GPUs: 2}}},
		Jobs: []trace.FinishedJob{job(2, 90), job(1, 20), job(3, 99)},
		Cycles: []trace.Cycle{
			{Cycle: 1, Time: 0, Bids: 3, Window: 3, FreeCores: 12, FreeGPUs: 6, Released: []trace.Release{
				{Job: 1, Nodes: "n[1-2]", Cores: "4,2", GPUs: 1},
			}},
			{Cycle: 2, Time: 10, Bids: 2, Window: 2, FreeCores: 6, FreeGPUs: 4},
			{Cycle: 3, Time: 20, Bids: 2, Window: 2, FreeCores: 6, FreeGPUs: 4},
			{Cycle: 4, Time: 25, Bids: 0, Window: 2, FreeCores: 12, FreeGPUs: 6},
		},
	}
	states, err := replay(data)
	if err != nil {
		t.Fatal(err)
	}
	two, three := auctiontest.Request{ID: 2, Cores: 6, Limit: 60}, auctiontest.Request{ID: 3, Cores: 6, Limit: 60}
	want := []auctiontest.State{
		{Run: "r", Cycle: 1, Cores: 4, GPUs: 2, Free: [][3]int{{3, 4, 2}}, Jobs: []auctiontest.Request{{ID: 1, Cores: 6, Limit: 60}, two, three}},
		{Run: "r", Cycle: 2, Cores: 4, GPUs: 2, Free: [][3]int{{1, 0, 1}, {1, 2, 1}, {1, 4, 2}}, Jobs: []auctiontest.Request{two, three}},
	}
	if !reflect.DeepEqual(states, want) {
		t.Errorf("%+v\nwant %+v", states, want)
	}
	data.Cycles[0].Released[0].Cores = "4,x"
	if _, err := replay(data); err == nil {
		t.Error("bad cores are read")
	}
}
