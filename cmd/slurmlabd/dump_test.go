package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// TestDumpIsTheProgramOfTheCycle: what slurmlab dev solve reads is what the cycle
// solved.
func TestDumpIsTheProgramOfTheCycle(t *testing.T) {
	s := auction.Snapshot{
		Nodes: []machine.Node{{Name: "n1", Cores: 8, GPUs: 2, FreeCores: 8, FreeGPUs: 2}, {Name: "n2", Cores: 8, GPUs: 2, FreeCores: 3, FreeGPUs: 1}},
		Jobs:  []bidding.Job{{ID: 5, Priority: 2, Cores: 6}, {ID: 9, Priority: 1, Nodes: 2, Cores: 6, GPUs: 1}},
	}
	bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
	problem := auction.Formulate(s, bids, auction.ObjectiveValue)
	dir := t.TempDir()
	if err := dumpAuctionTo(dir)(123, s, auction.Result{Bids: bids, Problem: problem}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "cycle-000123.json.gz")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	got, err := program.Read(path, file)
	if err != nil {
		t.Fatal(err)
	}
	want := papers.AUCSCHED2(s, bids, problem)
	if len(got.Rows) == 0 || !reflect.DeepEqual(got.Rows, want.Rows) || len(got.Variables) != len(want.Variables) {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
	for i, v := range got.Variables {
		if v.Objective != want.Variables[i].Objective {
			t.Errorf("%s: objective %g, want %g", v.Name, v.Objective, want.Variables[i].Objective)
		}
	}
}
