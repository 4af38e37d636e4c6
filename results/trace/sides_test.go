package trace

import (
	"testing"

	"github.com/slurmlab/slurmlab/workloads/events"
)

// Sides are named by what tells them apart, and only that may differ.
func TestSides(t *testing.T) {
	backfill := Settings{Policy: "backfill", Backend: Backend{"frontend", "24.11"}, SlurmVersion: "24.11.5", ImageID: "sha256:1"}
	auction, external := backfill, backfill
	auction.Policy = "auction"
	external.Backend, external.SlurmVersion, external.ImageID = Backend{"external", "26.05"}, "26.05.5", "sha256:2"
	both := external
	both.Policy = "auction"
	larger, twin, drained, other := backfill, backfill, backfill, backfill
	larger.Machine.Name, twin.Machine.Nodes = "larger", 8
	drained.Events, drained.EventsName = &events.Sum{Count: 2, SHA256: "ab"}, "drain"
	other.Machine.Name, other.Events = "larger", &events.Sum{Count: 1, SHA256: "cd"}
	for _, test := range []struct {
		name    string
		b       Settings
		want    Sides
		differs string
	}{
		{"policies", auction, Sides{OfPolicies, "backfill", "auction"}, ""},
		{"backends", external, Sides{OfBackends, "frontend-24.11", "external-26.05"}, ""},
		{"both", both, Sides{OfPolicies, "backfill", "auction"}, `backend ("frontend" and "external"), slurm ("24.11" and "26.05"), slurm_version ("24.11.5" and "26.05.5")`},
		{"machines", larger, Sides{OfMachines, "", "larger"}, ""},
		{"machines of one name", twin, Sides{OfMachines, " (first)", " (second)"}, ""},
		{"events", drained, Sides{OfEvents, "no events", "drain"}, ""},
		{"machine and events", other, Sides{OfMachines, "", "larger"}, `events (absent and {"count":1,"sha256":"cd"})`},
		{"nothing", backfill, Sides{OfBackends, "frontend-24.11", "frontend-24.11"}, ""},
	} {
		got := SidesOf(backfill, test.b)
		if got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
		if d := backfill.Differences(test.b, got.Free()).String(); d != test.differs {
			t.Errorf("%s: got differences %q, want %q", test.name, d, test.differs)
		}
	}
}

// Another patch release under one backend is no other backend.
func TestVersionsOfOneBackend(t *testing.T) {
	a := Settings{Backend: Backend{"external", "26.05"}, SlurmVersion: "26.05.4"}
	b := Settings{Backend: Backend{"external", "26.05"}, SlurmVersion: "26.05.5"}
	if d := a.Differences(b, Free{Backend: true}).Names(); len(d) != 1 || d[0] != "slurm_version" {
		t.Errorf("got differences %q, want slurm_version", d)
	}
}

// One list of events may have other numbers of nodes on another machine. Two lists are a difference also there.
func TestEventsOfTwoMachines(t *testing.T) {
	list := func(machine, name, sum string) Settings {
		s := Settings{Events: &events.Sum{Count: 3, SHA256: sum}, EventsName: name}
		s.Machine.Name = machine
		return s
	}
	free := Sides{Of: OfMachines}.Free()
	if d := list("a", "drain", "12").Differences(list("b", "drain", "34"), free); len(d) > 0 {
		t.Errorf("one list: got differences %s", d)
	}
	for _, other := range []Settings{list("b", "power", "34"), list("b", "", "34")} {
		if d := list("a", "drain", "12").Differences(other, free).Names(); len(d) != 1 || d[0] != "events" {
			t.Errorf("list %q beside drain: got differences %q, want events", other.EventsName, d)
		}
	}
}
