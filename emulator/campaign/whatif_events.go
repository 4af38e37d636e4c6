package campaign

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// scenarioEvent is an event of a scenario, in seconds after the beginning of the day.
type scenarioEvent struct {
	events.Event
	value input.Value
}

// readEvents reads what happens on each day.
func (s *scenario) readEvents(v input.Value) {
	if !v.There() {
		return
	}
	for _, one := range list(v) {
		s.readEvent(one)
	}
	slices.SortStableFunc(s.events, func(a, b scenarioEvent) int { return cmp.Compare(a.At, b.At) })
}

// readEvent reads an event, and the one that ends it.
func (s *scenario) readEvent(one input.Value) {
	var k whatIfEventKeys
	m, is := mapping(one, &k)
	if !is {
		return
	}
	m.Done()
	if !needed(one, neededKey{"event", events.AnyKind(), k.Event}) {
		return
	}
	at, goodAt := sinceMidnight(k.At)
	cells := []string{strconv.Itoa(at), "", "", "", ""}
	good := goodAt
	for i, of := range []input.Value{k.Event, k.Nodes, k.Reason, k.Setting} {
		if of.There() {
			text, is := word(of)
			cells[i+1], good = text, good && is
		}
	}
	if !good {
		return
	}
	if k.Nodes.There() {
		numbers, err := nodesOf(s.machine.Layout, cells[2])
		if err != nil {
			k.Nodes.Failf("%w", err)
			return
		}
		cells[2] = hostlist(numbers)
	}
	e, err := events.Parse(cells, s.machine)
	if err != nil {
		one.FailAll(err)
		return
	}
	s.events = append(s.events, scenarioEvent{e, one})
	if !k.Until.There() {
		return
	}
	until, goodUntil := sinceMidnight(k.Until)
	switch {
	case !goodUntil:
	case e.Kind != events.Drain && e.Kind != events.Down:
		k.Until.Failf("got it beside %s, want it beside drain or down, whose nodes come back then", e.Kind)
	case until <= at:
		k.Until.Failf("got %s, want a time after the event, which is at %s", time.Duration(until)*time.Second, time.Duration(at)*time.Second)
	default:
		s.events = append(s.events, scenarioEvent{events.Event{At: until, Kind: events.Resume, Nodes: e.Nodes}, one})
	}
}

// sinceMidnight is a time after the beginning of a day in seconds, 0 without a value.
func sinceMidnight(v input.Value) (int, bool) {
	if !v.There() {
		return 0, true
	}
	text, good := word(v)
	if !good {
		return 0, false
	}
	const longest = 30 * 24 * time.Hour
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longest || d%time.Second != 0 {
		v.Failf("got %q, want a time after the beginning of the day, such as 0s, 6h or 30m", text)
		return 0, false
	}
	return int(d / time.Second), true
}

// eventsOf are the events of a day, in seconds of its run: the recorded ones and the scenario's.
func (s *scenario) eventsOf(of dayJobs) []events.Event {
	own := make([]events.Event, len(s.events))
	for i, e := range s.events {
		own[i] = e.Event
	}
	all := together(of.outages, own, outOfService(s.machine.Layout))
	for i, e := range all {
		all[i].At = of.head + max(0, e.At-of.late)
	}
	return all
}
