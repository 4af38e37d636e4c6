package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// TestGroups: policies are compared with the first, and where no run has that, as in a workload from which a campaign excludes it, with the
// first that has runs. Pairs that were asked for stay what they are.
func TestGroups(t *testing.T) {
	const backfill, auction, auction2, fifo = "backfill", "auction", "auction2", "fifo"
	first := [][2]string{{backfill, auction}, {backfill, auction2}, {backfill, fifo}}
	for _, tt := range []struct {
		name     string
		policies []string
		pairs    [][2]string
		want     string
	}{
		{"all", []string{backfill, auction, auction2, fifo}, first, "[backfill auction backfill auction2 backfill fifo]"},
		{"without the first", []string{auction2, auction, fifo}, first, "[auction auction2 auction fifo]"},
		{"one of them", []string{auction2}, first, "[]"},
		{"none", []string{"other"}, first, "[]"},
		{"pairs of one's own", []string{auction, auction2}, [][2]string{{backfill, auction}, {fifo, auction2}}, "[]"},
	} {
		var all []metric.Result
		for _, policy := range tt.policies {
			all = append(all, runs(policy, 1, 2)...)
		}
		groups, err := Groups(all, tt.pairs, func(metric.Result) string { return "V.2" })
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, g := range groups {
			got = slices.Concat(got, []string{g.A, g.B})
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: compared %v, want %s", tt.name, got, tt.want)
		}
	}
}

// on are runs on another machine, under a list of events where it has a name, with their jobs.
func on(machine, list string, all []metric.Result) []metric.Result {
	for i := range all {
		all[i].Run.Machine.Name, all[i].Metrics.Machine = machine, machine
		if list != "" {
			all[i].Run.Events, all[i].Run.EventsName = &events.Sum{Count: 1, SHA256: list}, list
		}
	}
	return all
}

// Under one policy two machines, or two lists of events, are compared that have the same jobs, and all headings name them. Runs that
// differ in both, and runs of other jobs, are not.
func TestMachinesAndEventsAreCompared(t *testing.T) {
	other := on("larger", "", runs("backfill", 1, 2))
	for i := range other {
		other[i].Workload = []byte("other jobs")
	}
	for _, tt := range []struct {
		name   string
		second []metric.Result
		want   string
	}{
		{"machines", on("larger", "", runs("backfill", 1, 3)), "S larger"},
		{"events", on("S", "drain", runs("backfill", 1, 3)), "no events drain"},
		{"both", on("larger", "drain", runs("backfill", 1, 3)), ""},
		{"other jobs", other, ""},
		{"the same runs", runs("backfill", 1, 3), ""},
	} {
		first := runs("backfill", 1, 2)
		groups, err := Groups(slices.Concat(first, tt.second), nil, func(metric.Result) string { return "V.2" })
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, g := range groups {
			got += g.A + " " + g.B
			if !strings.HasPrefix(g.Finding(), g.A+" and "+g.B+" on V.2") {
				t.Errorf("%s: got finding %q", tt.name, g.Finding())
			}
		}
		if got != tt.want {
			t.Errorf("%s: compared %q, want %q", tt.name, got, tt.want)
		}
	}
	if _, err := Compare(runs("backfill", 1, 2), other); err == nil || !strings.Contains(err.Error(), "differ in workload.csv") {
		t.Errorf("other jobs: got error %v", err)
	}
	c, err := Compare(runs("backfill", 1, 2), on("larger", "", runs("backfill", 1, 3)))
	if err != nil {
		t.Fatal(err)
	}
	if want := "Over 2 replicas of workload V.2 under policy backfill: "; !strings.HasPrefix(c.Summary(), want) || c.Machine != "" || c.Starts != nil {
		t.Errorf("got machine %q and summary %q, want %q", c.Machine, c.Summary(), want)
	}
}

// A size is a part of the machine: on two of other sizes a class has other jobs.
func TestSizesOfTwoMachines(t *testing.T) {
	a, b := runs("backfill", 1, 2), on("larger", "", runs("backfill", 1, 3))
	for i := range b {
		b[i].Run.Machine.Nodes = 256
	}
	c, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ByGroup(a, b, "size"); err == nil || !strings.Contains(err.Error(), "S has 1024 cores, larger 2048") {
		t.Errorf("got error %v", err)
	}
}
