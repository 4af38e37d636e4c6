package auctiontest

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// State is what the agent of a real run saw at the begin of a cycle: the free
// nodes and the window.
type State struct {
	// Run is the name of the run, as in "tsubame-V.2-auction-seed1".
	Run   string
	Cycle int
	// Cores and GPUs of each node of the machine.
	Cores, GPUs int
	// Free are the nodes, in their order, as runs of equal ones: how many, and
	// the free cores and GPUs of each.
	Free [][3]int
	Jobs []Request
}

// Request is a job of the window, in the order of the queue. The fields are
// those of bidding.Job; Limit is in seconds.
type Request struct {
	ID           int
	Cores        int
	Nodes        int  `json:",omitempty"`
	CoresPerNode int  `json:",omitempty"`
	GPUs         int  `json:",omitempty"`
	MaxGPUs      int  `json:",omitempty"`
	Contiguous   bool `json:",omitempty"`
	Limit        int
}

// Snapshot is the state as the agent handed it to the auction.
func (s State) Snapshot() auction.Snapshot {
	var snapshot auction.Snapshot
	for _, run := range s.Free {
		for range run[0] {
			snapshot.Nodes = append(snapshot.Nodes, machine.Node{
				Name:  fmt.Sprintf("n%d", len(snapshot.Nodes)+1),
				Cores: s.Cores, GPUs: s.GPUs, FreeCores: run[1], FreeGPUs: run[2],
			})
		}
	}
	for i, r := range s.Jobs {
		snapshot.Jobs = append(snapshot.Jobs, bidding.Job{
			ID: r.ID, Priority: float64(len(s.Jobs) - i), Cores: r.Cores, Nodes: r.Nodes, CoresPerNode: r.CoresPerNode,
			GPUs: r.GPUs, MaxGPUs: r.MaxGPUs, Contiguous: r.Contiguous, TimeLimit: time.Duration(r.Limit) * time.Second,
		})
	}
	return snapshot
}

// Busy is the part of the machine's cores that is not free.
func (s State) Busy() float64 {
	nodes, free := 0, 0
	for _, run := range s.Free {
		nodes += run[0]
		free += run[0] * run[1]
	}
	return 1 - float64(free)/float64(nodes*s.Cores)
}

// Problem returns the final program of the cycle's auction with at most bids per
// job and bids of class R on top, as if the first round had been greedy.
func (s State) Problem(bids int, o auction.Objective) (auction.Problem, error) {
	r, err := auction.Auction(context.Background(), s.Snapshot(), auction.Options{
		Bids: AllKinds(bidding.BidOptions{MaxBidsPerJob: bids, MaxBids: bids * len(s.Jobs)}), Objective: o,
	}, Greedy{})
	if err != nil {
		return auction.Problem{}, fmt.Errorf("%s cycle %d: %w", s.Run, s.Cycle, err)
	}
	return r.Problem, nil
}

//go:embed testdata/states.jsonl.gz
var recorded []byte

// States are the recorded states of real runs, in the order of their runs and cycles. "make bench-instances"
// re-records them.
func States() ([]State, error) { return ReadStates(bytes.NewReader(recorded)) }

// ReadStates reads what WriteStates wrote.
func ReadStates(r io.Reader) ([]State, error) {
	plain, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read states: %w", err)
	}
	var all []State
	decoder := json.NewDecoder(plain)
	for {
		var s State
		err := decoder.Decode(&s)
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read state %d: %w", len(all)+1, err)
		}
		if err := s.Snapshot().Validate(); err != nil {
			return nil, fmt.Errorf("read state %d: %w", len(all)+1, err)
		}
		all = append(all, s)
	}
}

// WriteStates writes states as compressed JSON, one a line.
func WriteStates(w io.Writer, states []State) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("write states: %w", err)
	}
	encoder := json.NewEncoder(packed)
	for _, s := range states {
		if err := encoder.Encode(s); err != nil {
			return fmt.Errorf("write states: %w", err)
		}
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("write states: %w", err)
	}
	return nil
}
