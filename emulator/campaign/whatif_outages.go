package campaign

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// outages are a site's record of the nodes that were out of service, in the key events of base.
type outages struct {
	input.Value
	name, text string
	skipBad    bool
}

// longestTail is how long after its day a run may go on: a node that comes back within it does so in the run as well.
const longestTail = 30 * 24 * time.Hour

// readOutages reads the record, and says what of it is left out. The record tells when nodes are out of service, so the
// machine no longer does.
func (f *file) readOutages(w *whatIf, v input.Value, from Sources) {
	if !v.There() {
		return
	}
	name, good := word(v)
	if !good {
		return
	}
	source, err := from.Trace(name)
	if err == nil {
		w.outages, err = readRecord(source, v)
	}
	if err != nil {
		v.FailAll(err)
		return
	}
	if !w.machine.There() || len(w.days) == 0 {
		return
	}
	if w.days[0].from.Date.IsZero() {
		v.Failf("got it beside days by their numbers, want dates such as 2026-03-02, as the record has them")
		return
	}
	w.machine.value.Layout.Down = nil
	w.options.Machine = w.machine.value
	w.outages.skipBad = w.options.SkipBad
	found, err := w.outages.between(w.days[0].from.Date, w.days[0].until.Date, w.machine.value)
	if err != nil {
		v.FailAll(err)
	}
	for _, note := range found.LeftOut(w.machine.value.Name) {
		f.notes = append(f.notes, name+": "+note)
	}
}

func readRecord(source records.Source, v input.Value) (outages, error) {
	in, err := source.Open()
	if err != nil {
		return outages{}, err
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(in)
	return outages{Value: v, name: source.Name, text: string(text)}, err
}

// of are the events of a day, in seconds after its beginning. An outage that begins after the day is no part of it.
func (o outages) of(d day, m workloads.Machine) ([]events.Event, error) {
	if !o.There() {
		return nil, nil
	}
	found, err := o.between(d.from.Date, d.until.Date.Add(longestTail), m)
	length := int(d.until.Date.Sub(d.from.Date) / time.Second)
	return slices.DeleteFunc(append([]events.Event{}, found.Events...), func(e events.Event) bool { return e.At >= length && e.Kind != events.Resume }), err
}

func (o outages) between(from, until time.Time, m workloads.Machine) (events.Recorded, error) {
	return events.Import(strings.NewReader(o.text), o.name, m, events.Options{From: from, Until: until, SkipBad: o.skipBad})
}

// outOfService are the numbers of the nodes that a scenario has removed, from 0.
func outOfService(l layout.Layout) map[int]bool {
	removed := map[int]bool{}
	for _, d := range l.Down {
		for _, n := range (events.Event{Nodes: d.Nodes}).Indices() {
			removed[n] = true
		}
	}
	return removed
}

// together are the recorded events and a scenario's own, in the order of their times. A node is out of service while one of
// the two has it out, so a drain that somebody asks about lasts although the record has the node back before. A scenario
// that resumes a node ends its recorded outage. Without a record, which is nil, the scenario's events are as they are.
func together(recorded, own []events.Event, removed map[int]bool) []events.Event {
	type sourced struct {
		events.Event
		own bool
	}
	var all []sourced
	for _, e := range recorded {
		all = append(all, sourced{e, false})
	}
	for _, e := range own {
		all = append(all, sourced{e, true})
	}
	slices.SortStableFunc(all, func(a, b sourced) int { return a.At - b.At })
	out := map[bool]map[int]bool{false: {}, true: {}}
	var list []events.Event
	for _, e := range all {
		switch e.Kind {
		case events.Drain, events.Down:
			for _, n := range e.Indices() {
				out[e.own][n] = true
			}
		case events.Resume:
			var back []int
			for _, n := range e.Indices() {
				if e.own && !out[true][n] {
					// Slurm refuses to resume a node that is in service, as it may be on a day of the record.
					if recorded == nil || out[false][n] || removed[n] {
						back = append(back, n+1)
					}
					delete(out[false], n)
					continue
				}
				was := out[e.own][n]
				delete(out[e.own], n)
				if was && !out[!e.own][n] && (e.own || !removed[n]) {
					back = append(back, n+1)
				}
			}
			if len(back) == 0 {
				continue
			}
			e.Nodes = hostlist(back)
		case events.Update, events.Modify:
		}
		list = append(list, e.Event)
	}
	return list
}
