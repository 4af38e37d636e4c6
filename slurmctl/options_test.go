package slurmctl_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// What Slurm 24.11.5 answered for jobs with features, licences, a dependency and
// exclusive nodes, on a cluster of nodes with 8 cores and 2 GPUs.
func TestOptionsOfJobs(t *testing.T) {
	client := recording(t, "options.transcript")
	queue, err := client.Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	details, err := client.JobDetails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type options struct {
		comment, features, licences, dependency string
	}
	want := []options{
		{"", "", "matlab:2", ""},
		{"", "fast&big", "", ""},
		{"a=b  c", "", "matlab:1,fluent", "afterok:50(unfulfilled)"},
		{"", "", "", ""},
	}
	if len(queue) != len(want) || len(details) != len(want) {
		t.Fatalf("%d jobs in the queue, %d with details, want %d", len(queue), len(details), len(want))
	}
	for i, j := range queue {
		got := options{j.Comment, j.Features, j.Licences, j.Dependency}
		if got != want[i] || j.Partition != "main" {
			t.Errorf("job %d: %+v in partition %q, want %+v", j.ID, got, j.Partition, want[i])
		}
		if j.Comment != "" {
			// Two blanks end a comment in scontrol's text.
			j.Comment = "a=b"
		}
		if details[i].QueuedJob != j {
			t.Errorf("job %d:\n%+v, want\n%+v", j.ID, details[i].QueuedJob, j)
		}
	}
}

func TestOptionsOfNodes(t *testing.T) {
	nodes, err := recording(t, "options.transcript").Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The comment of the first node imitates other fields.
	want := []slurmctl.NodeRecord{
		{Name: "n1", State: slurmctl.NodeMixed, CPUs: 8, AllocCPUs: 1, GPUs: 2, Memory: 1, Weight: 1,
			Features: []string{"fast", "big"}, Partitions: []string{"main"}},
		{Name: "n127", State: slurmctl.NodeIdle, CPUs: 8, GPUs: 2, Memory: 1, Weight: 1, Partitions: []string{"main"}},
	}
	if !reflect.DeepEqual(nodes, want) {
		t.Errorf("%+v, want %+v", nodes, want)
	}
}

func TestLicences(t *testing.T) {
	got, err := recording(t, "options.transcript").Licences(t.Context())
	want := []slurmctl.LicenceRecord{{Name: "fluent", Free: 1}, {Name: "matlab", Free: 1}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for _, c := range []struct {
		text string
		free int
		bad  bool
	}{
		{"No licenses configured in Slurm.\n", -1, false},
		{"LicenseName=x Total=5 Used=2 Free=3 Reserved=1 Remote=no\n", 2, false},
		{"LicenseName=x Total=5 Used=6 Free=0 Reserved=0 Remote=no\n", 0, false},
		{"LicenseName=x Total=5 Used=2 Free=three Reserved=1 Remote=no\n", -1, true},
		{"Licence=x\n", -1, true},
	} {
		all, err := slurmctl.ParseLicences([]byte(c.text))
		var parse *slurmctl.ParseError
		if errors.As(err, &parse) != c.bad {
			t.Errorf("%q: error %v", c.text, err)
		}
		if free := len(all) > 0; free != (c.free >= 0) || free && all[0].Free != c.free {
			t.Errorf("%q: %+v, want %d free", c.text, all, c.free)
		}
	}
}
