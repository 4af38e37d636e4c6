package agent_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
)

// A Slurm that always needs longer than the agent's patience starts the job in the end:
// the patience doubles each time that the job is held again (issue 16, item 6).
func TestPatienceGrows(t *testing.T) {
	c := newOdd(1, 8, 0, job(1, 8))
	c.stuck = true
	a := newAgent(c)
	released, reheld := 0, 0
	for cycle := 1; cycle <= 60; cycle++ {
		record, err := a.Cycle(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		reheld += len(record.Reheld)
		if len(record.Released) > 0 {
			released = cycle
		}
		// Slurm takes nine cycles from each release on.
		if cycle-released == 9 && len(c.pending) > 0 {
			c.start(1)
		}
		if len(record.Checked) > 0 {
			// Patience of 2, 4 and 8 cycles was too little, 16 were enough.
			if reheld != 3 {
				t.Errorf("held again %d times, want 3", reheld)
			}
			return
		}
	}
	t.Errorf("the job never started; it was held again %d times", reheld)
}

// An agent that replaces a dead one does not give the nodes of a job in flight to another one, and loses its patience
// with it. A job that was not released after all takes part again without a word to its owner.
func TestAgentResumesFlights(t *testing.T) {
	c := newOdd(1, 8, 0, job(1, 8), job(2, 8))
	c.stuck = true
	var saved []byte
	options := agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 2, Remember: func(flights []agent.Flight) (err error) {
		saved, err = json.Marshal(flights)
		return err
	}}
	dead := agent.New(c, auctiontest.Greedy{}, options)
	if record, err := dead.Cycle(t.Context(), 0); err != nil || len(record.Released) != 1 {
		t.Fatalf("%+v, %v", record, err)
	}
	var flights []agent.Flight
	if err := json.Unmarshal(saved, &flights); err != nil || !reflect.DeepEqual(flights, dead.Flights()) {
		t.Fatalf("remembered %s, %v, want %+v", saved, err, dead.Flights())
	}

	next := agent.New(c, auctiontest.Greedy{}, options)
	next.Resume(flights)
	for i, reheld := range []int{0, 1} {
		record, err := next.Cycle(t.Context(), 0)
		if err != nil || len(record.Reheld) != reheld || (i == 0 && (len(record.Released) != 0 || record.FreeCores != 0)) {
			t.Fatalf("cycle %d: %+v, %v, want %d held again", i+1, record, err, reheld)
		}
	}

	c = newOdd(1, 8, 0, job(1, 8))
	unsent := agent.New(c, auctiontest.Greedy{}, options)
	unsent.Resume(flights[:1])
	record, err := unsent.Cycle(t.Context(), 0)
	if err != nil || len(record.Reheld) != 0 || len(record.Released) != 1 {
		t.Errorf("%+v, %v, want the job released as if nothing had been", record, err)
	}
}

// What is not remembered is not released: nobody would know of it after a crash.
func TestUnrememberedJobIsNotReleased(t *testing.T) {
	full := errors.New("no space left on device")
	c := newOdd(1, 8, 0, job(1, 8))
	a := agent.New(c, auctiontest.Greedy{}, agent.Settings{
		Auction: auctiontest.Options(), Window: 10, Patience: 2, Remember: func([]agent.Flight) error { return full },
	})
	if record, err := a.Cycle(t.Context(), 0); !errors.Is(err, full) || len(record.Released) != 0 || len(c.held) != 1 || a.Waiting() != 0 {
		t.Errorf("%+v, %v, held %v, want nothing released", record, err, c.held)
	}
}
