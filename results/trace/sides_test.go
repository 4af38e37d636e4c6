package trace

import (
	"testing"
)

// Sides are named by what tells them apart, and only that may differ.
func TestSides(t *testing.T) {
	backfill := Settings{Policy: "backfill", Backend: Backend{"frontend", "24.11"}, SlurmVersion: "24.11.5", ImageID: "sha256:1"}
	auction, external := backfill, backfill
	auction.Policy = "auction"
	external.Backend, external.SlurmVersion, external.ImageID = Backend{"external", "26.05"}, "26.05.5", "sha256:2"
	both := external
	both.Policy = "auction"
	for _, test := range []struct {
		name    string
		b       Settings
		want    Sides
		differs string
	}{
		{"policies", auction, Sides{OfPolicies, "backfill", "auction"}, ""},
		{"backends", external, Sides{OfBackends, "frontend-24.11", "external-26.05"}, ""},
		{"both", both, Sides{OfPolicies, "backfill", "auction"}, `backend ("frontend" and "external"), slurm ("24.11" and "26.05"), slurm_version ("24.11.5" and "26.05.5")`},
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
