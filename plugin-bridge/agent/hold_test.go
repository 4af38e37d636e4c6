package agent_test

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// A job that its owner holds takes no part, whatever is free. A job that has been released comes back to the window
// when its owner holds it and lets it go again.
func TestOwnersHoldIsRespected(t *testing.T) {
	held := job(1, 8)
	held.ByOwner, held.Obstacle = true, "it wants the moon"
	c := newOdd(1, 8, 0, held)
	a := newAgent(c)
	for range 3 {
		record, err := a.Cycle(t.Context(), 0)
		if err != nil || len(record.Released) != 0 || len(record.Unplaced) != 0 || !slices.Equal(a.Hindered().ByOwner, []int{1}) {
			t.Fatalf("%+v, %v, %+v, want job 1 to be left alone", record, err, a.Hindered())
		}
	}
	c.held[0].ByOwner = false
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || len(record.Unplaced) != 1 || len(a.Hindered().Obstacles) != 1 || len(a.Hindered().ByOwner) != 0 {
		t.Fatalf("%+v, %v, want the obstacle", record, err)
	}
	c.held[0].Obstacle, c.holds = "", true
	if record, err = a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 1 {
		t.Fatalf("%+v, %v, want job 1 released", record, err)
	}
	c.held[0].ByOwner = true
	record, err = a.Cycle(t.Context(), 0)
	if err != nil || len(record.Reheld) != 1 || record.Reheld[0].Reason != "held by its owner" || a.Waiting() != 0 || len(record.Released) != 0 {
		t.Fatalf("%+v, %v, want job 1 held by its owner", record, err)
	}
	c.held = nil
	if _, err = a.Cycle(t.Context(), 0); err != nil || len(a.Hindered().ByOwner)+len(a.Hindered().Obstacles) != 0 {
		t.Errorf("%v, a job that is gone is hindered: %+v", err, a.Hindered())
	}
}

// Any update of a job with bad constraints, such as a reason in its Extra, would let Slurm
// start it, so that the agent holds it first.
func TestBadConstraintsAreHeld(t *testing.T) {
	c := newOdd(1, 8, 0, job(1, 8))
	c.holds = true
	a := newAgent(c)
	if _, err := a.Cycle(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	c.held[0].Reason = slurmctl.ReasonBadConstraints
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || len(record.Reheld) != 1 || record.Reheld[0].Reason != "held by Slurm: BadConstraints" || !slices.Equal(c.asked, []int{1}) {
		t.Errorf("%+v, %v, asked to hold %v, want job 1 held", record, err, c.asked)
	}
}
