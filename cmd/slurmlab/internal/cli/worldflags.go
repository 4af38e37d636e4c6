package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// noEvents is the word of --events for a side to which nothing happens.
const noEvents = "none"

// worldFlags are --machine and --events of a comparison: one each, or two of one of them to compare under one policy.
type worldFlags struct {
	machines, events []string
}

func (f *worldFlags) machineFlag() flagSpec {
	return flag("machine", &f.machines, []string{"S"}, machineHelp()+", or two to compare").completes(ofMachines().separated()).usual()
}

func (f *worldFlags) eventsFlag() flagSpec {
	return flag("events", &f.events, nil, eventsHelp+", or two to compare, one of which may be "+noEvents).completes(ofFiles(".csv").separated())
}

// subjects are what there are two of.
func (f *worldFlags) subjects() []trace.Subject {
	var all []trace.Subject
	if len(f.machines) > 1 {
		all = append(all, trace.OfMachines)
	}
	if len(f.events) > 1 {
		all = append(all, trace.OfEvents)
	}
	return all
}

// read gives the experiment the machine and the events, or both of them. The error lists the faults of the flags.
func (f *worldFlags) read(e *experiment) error {
	var faults []error
	for _, of := range []struct {
		flag   string
		values []string
	}{{"machine", f.machines}, {"events", f.events}} {
		if e.given.Changed(of.flag) && (len(of.values) == 0 || len(of.values) > 2) {
			faults = append(faults, fmt.Errorf("%s: got %d, want one, or two to compare", of.flag, len(of.values)))
		}
	}
	e.machine = ""
	if n := len(f.machines); n > 0 {
		e.machine = f.machines[0]
	}
	if len(f.machines) == 2 {
		e.otherMachine = f.machines[1]
	}
	switch len(f.events) {
	case 1:
		e.eventsFile = eventsFile(f.events[0])
	case 2:
		files := make([]eventsFile, len(f.events))
		for i, file := range f.events {
			if file != noEvents {
				files[i] = eventsFile(file)
			}
		}
		if files[0].name() == files[1].name() {
			faults = append(faults, fmt.Errorf("events: both lists are called %q, want names that differ", cmp.Or(files[0].name(), noEvents)))
		}
		e.eventsFile, e.otherEvents = files[0], &files[1]
	}
	return errors.Join(faults...)
}

// name is what the list of events is called, empty without a file.
func (e eventsFile) name() string {
	if e == "" {
		return ""
	}
	return events.NameOf(string(e))
}

// loadOther reads the second machine, or the second list of events.
func (e *experiment) loadOther(r campaign.Run) error {
	if e.otherMachine == "" && e.otherEvents == nil {
		return nil
	}
	first := campaign.World{Machine: r.Machine, Events: r.Events, EventsName: r.EventsName}
	second := first
	var err error
	switch {
	case e.otherEvents != nil:
		second.EventsName = e.otherEvents.name()
		second.Events, err = e.otherEvents.load(r.Machine)
	default:
		if err = checkDash("machine", e.otherMachine); err == nil {
			second.Machine, err = workloads.LoadMachine(e.otherMachine)
		}
		if err == nil && second.Machine.Name == r.Machine.Name {
			err = fmt.Errorf("machine: %s and %s are both called %s, want names that differ; the key name of a machine file sets one", e.machine, e.otherMachine, r.Machine.Name)
		}
		if err == nil {
			// The same node may have another number there.
			second.Events, err = e.eventsFile.load(second.Machine)
		}
	}
	e.worlds = []campaign.World{first, second}
	return err
}
