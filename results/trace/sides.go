package trace

import "fmt"

// Subject is what two runs that stand side by side are compared in.
type Subject string

// The subjects, in the words of a sentence.
const (
	OfPolicies Subject = "policy"
	OfBackends Subject = "backend"
	OfMachines Subject = "machine"
	OfEvents   Subject = "list of events"
)

// Plural is the word for several of them.
func (s Subject) Plural() string {
	switch s {
	case OfBackends:
		return "backends"
	case OfMachines:
		return "machines"
	case OfEvents:
		return "lists of events"
	case OfPolicies:
	}
	return "policies"
}

// Sides are the two sides of a comparison: A and B name what tells them apart.
type Sides struct {
	Of   Subject
	A, B string
}

// SidesOf names two runs, or two sets of runs, by the first of these in which they differ: their policies ("backfill" and
// "auction"), backends ("frontend-24.11" and "external-26.05"), machines or events. The backends of runs that differ in
// none of these are equal. Policies that were recorded under one name and are two have the names of today.
func SidesOf(a, b Settings) Sides {
	switch {
	case a.PolicyToday() == b.PolicyToday():
	case a.Policy == b.Policy:
		return Sides{OfPolicies, a.PolicyToday(), b.PolicyToday()}
	default:
		return Sides{OfPolicies, a.Policy, b.Policy}
	}
	switch {
	case a.Backend != b.Backend:
	case !a.Machine.Equal(b.Machine):
		return apart(OfMachines, a.Machine.Name, b.Machine.Name)
	case !a.sameEvents(b):
		return apart(OfEvents, a.EventsLabel(), b.EventsLabel())
	}
	return Sides{OfBackends, a.BackendName(), b.BackendName()}
}

// apart are sides that differ. Where both have one name, their places tell them apart.
func apart(of Subject, a, b string) Sides {
	if a == b {
		a, b = a+" (first)", b+" (second)"
	}
	return Sides{of, a, b}
}

// Free is what the runs of a pair, one of each side, may differ in: its subject, and
// the version of slurmlab.
func (s Sides) Free() Free {
	return Free{Tool: true, Policy: s.Of == OfPolicies, Backend: s.Of == OfBackends, Machine: s.Of == OfMachines, Events: s.Of == OfEvents}
}

// NoEvents is the label of a run without events.
const NoEvents = "no events"

// EventsLabel is the name of the run's list of events. Runs from before it was recorded have the number of events.
func (s Settings) EventsLabel() string {
	switch {
	case s.Events == nil:
		return NoEvents
	case s.EventsName != "":
		return s.EventsName
	}
	return fmt.Sprintf("events (%d)", s.Events.Count)
}

// sameEvents says that the same happens to the clusters of both runs.
func (s Settings) sameEvents(other Settings) bool {
	if s.Events == nil || other.Events == nil {
		return s.Events == other.Events
	}
	return *s.Events == *other.Events
}

// sameList says that the events of two runs came from one list, as far as the records tell: another machine gives the nodes of
// its groups and the site's names other numbers.
func (s Settings) sameList(other Settings) bool {
	a, b := s.Events, other.Events
	return a != nil && b != nil && a.Count == b.Count && s.EventsName != "" && s.EventsName == other.EventsName
}
