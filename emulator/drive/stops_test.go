package drive

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/results/trace"
)

// "Any STOP of 5 s ends complete and says so" (issue 16, invariant 10).
func TestStopsAreAddedUp(t *testing.T) {
	var s stops
	look := func(stopped []string, since time.Duration) {
		t.Helper()
		if err := s.look(stopped, since); err != nil {
			t.Error(err)
		}
	}
	look(nil, stopPoll)
	if got := s.record(); got != nil {
		t.Errorf("nothing was stopped, and the record is %v", got)
	}
	for range 5 {
		look([]string{"slurmctld"}, stopPoll)
	}
	// A look that is late by little has a busy machine.
	look(nil, stopPoll+lateLimit)
	// One that is late by much was itself stopped: of the others nothing is known then.
	look([]string{"mariadbd"}, stopPoll+5*time.Second)
	want := []trace.Stop{{Process: "mariadbd", Seconds: 1}, {Process: "slurmctld", Seconds: 5}, {Process: "slurmlabd", Seconds: 5}}
	if got := s.record(); !slices.Equal(got, want) {
		t.Errorf("record %v, want %v", got, want)
	}
}

// "Every run ends within a bound of real time" (issue 16, invariant 1), also one whose
// daemon nobody lets go on; shorter stops add up without an end.
func TestStoppedForGood(t *testing.T) {
	var s stops
	for i := range 200 {
		var stopped []string
		if i%50 != 0 {
			stopped = []string{"slurmctld"}
		}
		if err := s.look(stopped, stopPoll); err != nil {
			t.Fatalf("look %d: %v", i, err)
		}
	}
	var err error
	looks := 0
	for s.looks = nil; err == nil && looks < 100; looks++ {
		err = s.look([]string{"slurmctld"}, stopPoll)
	}
	if err == nil || err.Error() != "slurmctld did not run for 1m0s of real time" || looks != 60 {
		t.Errorf("after %d looks: %v", looks, err)
	}
}

// "vclockd killed ends complete and says so" (issue 16, invariant 10), also in the moment
// before another one counts itself as its successor.
func TestUncontrolledClockIsTold(t *testing.T) {
	for _, gone := range []bool{false, true} {
		var events []Event
		r := run{Driver: &Driver{
			Clock: clock.Real(), Uncontrolled: func() bool { return gone },
			Emit: func(e Event) error { events = append(events, e); return nil },
		}}
		r.tellReplaced(nil)
		if told := len(events) == 1 && strings.Contains(events[0].Warning, "controller of the clock died"); told != gone {
			t.Errorf("gone: %v, and the events are %+v", gone, events)
		}
	}
}

// "The reason names the cause" (issue 16, invariant 7).
func TestReasonNamesStoppedProcesses(t *testing.T) {
	broke := errors.New("slurm does not answer")
	d := Driver{Stopped: func() []string { return []string{"slurmctld", "vclockd"} }}
	got := d.blame(broke)
	if !errors.Is(got, broke) || got.Error() != "slurm does not answer; stopped by a signal: slurmctld, vclockd" {
		t.Errorf("got %v", got)
	}
	if d.blame(nil) != nil {
		t.Error("a run that did not break has a reason")
	}
	d.Stopped = func() []string { return nil }
	if got = d.blame(broke); got.Error() != broke.Error() {
		t.Errorf("got %v", got)
	}
}
