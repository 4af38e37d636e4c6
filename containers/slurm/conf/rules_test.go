package conf_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// slurm.conf(5): AccountingStorageEnforce, Licenses and the weights of priority/multifactor are there for a layout that has
// them, and without these nothing changes.
func TestRules(t *testing.T) {
	s := spec()
	s.Nodes, s.Cores, s.GPUs, s.Priority = 2, 8, 0, priority.Multifactor
	s.Layout = layout.Layout{
		Groups:     []layout.Group{{Name: "thin", Count: 2, Sockets: 1, Cores: 8, Threads: 1, Weight: 1}},
		Partitions: []layout.Partition{{Name: "main", Groups: []string{"thin"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1}},
	}
	without := files(t, s)["slurm.conf"]
	s.Layout.Accounts = []layout.Account{{Name: "bio"}}
	s.Layout.Licenses = []layout.License{{Name: "matlab", Count: 2}, {Name: "ansys", Count: 1}}
	s.Layout.Weights = layout.Weights{QOS: 1000, FairShare: 500}
	s.Layout.Reservations = []layout.Reservation{{Name: "r", Nodes: "n1", Duration: 60}}
	rest := files(t, s)["slurm.conf"]
	for _, line := range []string{"PriorityWeightQOS=1000", "PriorityWeightFairshare=500", "# Of the machine's QOS and accounts.", "AccountingStorageEnforce=limits,qos", "Licenses=matlab:2,ansys:1"} {
		before := rest
		if rest = strings.Replace(rest, "\n"+line+"\n", "\n", 1); rest == before {
			t.Errorf("slurm.conf lacks %s", line)
		}
	}
	if rest != without {
		t.Errorf("more than that is new:\n%s\nwithout\n%s", rest, without)
	}
	s.Scheduler = conf.Scheduler{Type: conf.Backfill, Priority: "PriorityWeightQOS=7"}
	if text := files(t, s)["slurm.conf"]; !strings.Contains(text, "\nPriorityWeightQOS=7\n") || strings.Contains(text, "PriorityWeightQOS=1000") {
		t.Error("the line of a policy does not stand in the place of the machine's")
	}
	s.Layout.Accounts[0].Users = []layout.User{{Name: "anna", Usage: 5}}
	for _, c := range []struct {
		priority string
		weights  layout.Weights
		idle     bool
	}{{"", layout.Weights{FairShare: 500}, false}, {"PriorityWeightFairshare=0", layout.Weights{FairShare: 500}, true}, {"PriorityWeightFairshare=7", layout.Weights{}, false}, {"", layout.Weights{}, true}} {
		s.Scheduler.Priority, s.Layout.Weights = c.priority, c.weights
		if s.UsageIdle() != c.idle {
			t.Errorf("under %+v usage is idle: %t", c, s.UsageIdle())
		}
	}
	s.Layout.Weights = layout.Weights{QOS: 1000, FairShare: 500}
	s.Scheduler, s.Priority = conf.Scheduler{Type: conf.Backfill}, priority.Basic
	if text := files(t, s)["slurm.conf"]; strings.Contains(text, "PriorityWeight") || !s.WeightsIdle() || !s.UsageIdle() {
		t.Error("priority/basic has weights")
	}
	s.Scheduler.External = true
	if s.UsageIdle() {
		t.Error("an agent may look at usage")
	}
}

// Machines with licences and machines of equal nodes have the licences of arrays, also in the container.
func TestArrayLicenses(t *testing.T) {
	for _, licences := range [][]layout.License{nil, {{Name: "matlab", Count: 2}}} {
		s := spec()
		want := "\nLicenses="
		if s.ArrayLicenses = []layout.License{{Name: "array-7", Count: 4}}; licences != nil {
			s.Layout = layout.Layout{
				Groups:     []layout.Group{{Name: "thin", Count: 1408, Sockets: 1, Cores: 12, Threads: 1, Weight: 1, GPUs: []layout.GPU{{Count: 3}}}},
				Partitions: []layout.Partition{{Name: "main", Groups: []string{"thin"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1}},
				Licenses:   licences,
			}
			want += "matlab:2,"
		}
		text, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		there, err := conf.ParseText(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := files(t, there)["slurm.conf"]; !strings.Contains(got, want+"array-7:4\n") {
			t.Errorf("%v: slurm.conf lacks %q", licences, want+"array-7:4")
		}
	}
}
