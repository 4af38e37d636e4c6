package agent

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
)

func TestHeldJob(t *testing.T) {
	index := map[string]int{"n1": 0, "n2": 1, "n3": 2}
	tests := []struct {
		name     string
		job      slurmctl.QueuedJob
		want     bidding.Job
		obstacle string
	}{
		{name: "no note", job: slurmctl.QueuedJob{Tasks: 8, Nodes: 2, TasksPerNode: 4, GPUsPerNode: 1},
			want: bidding.Job{Cores: 8, Nodes: 2, CoresPerNode: 4, GPUs: 1}},
		{name: "the note counts, not what an update left",
			job:  slurmctl.QueuedJob{Tasks: 8, Nodes: 8, TasksPerNode: 1, GPUsPerNode: 3, AdminComment: "slurmlab tasks=8 nodes=0 tasks_per_node=0 gpus=1-3"},
			want: bidding.Job{Cores: 8, GPUs: 1, MaxGPUs: 3}},
		{name: "tasks implied by nodes", job: slurmctl.QueuedJob{Tasks: 1, AdminComment: "slurmlab tasks=0 nodes=3 tasks_per_node=0"},
			want: bidding.Job{Cores: 3, Nodes: 3}},
		{name: "options",
			job: slurmctl.QueuedJob{Partition: "main", Features: "fast&big", Licences: "matlab:2,fluent",
				AdminComment: "slurmlab tasks=4 nodes=0 tasks_per_node=0 nodelist=n[2-3] exclude=n1 mem_per_cpu=7 switches=2 exclusive=1"},
			want: bidding.Job{Cores: 4, Options: bidding.JobOptions{
				Partition: "main", Features: []string{"fast", "big"}, Required: []int{1, 2}, Excluded: []int{0}, Exclusive: true,
				MemoryPerCore: 7, Switches: 2, Licences: machine.Licences{{Name: "matlab", Count: 2}, {Name: "fluent", Count: 1}}}}},
		{name: "alternatives", job: slurmctl.QueuedJob{Comment: "slurmlab alt: -n 2 --gres=gpu:1", AdminComment: "slurmlab tasks=4"},
			want: bidding.Job{Cores: 4, Alternatives: []bidding.Alternative{{Cores: 2, GPUs: 1, MaxGPUs: 1}}}},
		{name: "GPUs cannot be taken away again",
			job:  slurmctl.QueuedJob{GPUsPerNode: 1, Comment: "slurmlab alt: -n 2 --gres=gpu:1 | -n 3", AdminComment: "slurmlab tasks=4 gpus=2-2"},
			want: bidding.Job{Cores: 4, GPUs: 2, MaxGPUs: 2, Alternatives: []bidding.Alternative{{Cores: 2, GPUs: 1, MaxGPUs: 1}}}},
		{name: "several partitions", job: slurmctl.QueuedJob{Tasks: 1, Partition: "a,b"}, want: bidding.Job{Cores: 1, Options: bidding.JobOptions{Partition: "a"}}},
		{name: "several partitions, of which a release left one", job: slurmctl.QueuedJob{Partition: "b", AdminComment: "slurmlab tasks=1 partitions=a,b"},
			want: bidding.Job{Cores: 1, Options: bidding.JobOptions{Partition: "a"}}},
		{name: "somebody else's AdminComment", job: slurmctl.QueuedJob{Tasks: 1, AdminComment: "ask Anna"},
			obstacle: `what it asks for is not known any more: its AdminComment "ask Anna" is not the one that job_submit.lua wrote`},
		{name: "a list of nodes that is none", job: slurmctl.QueuedJob{AdminComment: "slurmlab tasks=1 nodelist=n1,tasks%3D9"},
			obstacle: `"n1,tasks=9": byte 9: '=' cannot stand in a node name`},
		{name: "a broken list of nodes", job: slurmctl.QueuedJob{AdminComment: "slurmlab tasks=1 exclude=n%"}, obstacle: "invalid URL escape"},
		{name: "a dependency that failed", job: slurmctl.QueuedJob{Tasks: 1, Dependency: "afterany:3(unfulfilled),afterok:7(failed)"},
			obstacle: "its dependency afterany:3(unfulfilled),afterok:7(failed) can never be fulfilled"},
		{name: "unread", job: slurmctl.QueuedJob{Tasks: 1, Unread: &slurmctl.ParseError{Source: "squeue", Line: 4, Field: "State", Text: "HAPPY", Want: "a job state"}},
			obstacle: `slurmlab cannot read its State "HAPPY", want a job state`},
		{name: "more nodes than it wants", job: slurmctl.QueuedJob{AdminComment: "slurmlab tasks=2 nodes=2 nodelist=n[1-3]"}, obstacle: "it names 3 nodes and asks for 2"},
		{name: "one of two features", job: slurmctl.QueuedJob{Tasks: 1, Features: "fast|big"},
			want: bidding.Job{Cores: 1, Options: bidding.JobOptions{Features: []string{"fast", "big"}, OneFeature: true}}},
		{name: "type of GPUs", job: slurmctl.QueuedJob{GPUsPerNode: 2, AdminComment: "slurmlab tasks=1 nodes=1 gpu_type=a100"},
			want: bidding.Job{Cores: 1, Nodes: 1, GPUs: 2, Options: bidding.JobOptions{GPUType: "a100"}}},
		{name: "constraint", job: slurmctl.QueuedJob{Tasks: 1, Features: "fast|big&a"}, obstacle: `its constraint "fast|big&a" is not a list`},
		{name: "count of features", job: slurmctl.QueuedJob{Tasks: 1, Features: "[a*2&b]"}, obstacle: "its constraint"},
		{name: "licences", job: slurmctl.QueuedJob{Tasks: 1, Licences: "a|b"}, obstacle: `its licences "a|b"`},
		{name: "unknown node", job: slurmctl.QueuedJob{AdminComment: "slurmlab tasks=1 nodelist=n9"}, obstacle: "it names node n9, which does not exist"},
		{name: "CPUs per task", job: slurmctl.QueuedJob{AdminComment: "slurmlab tasks=1 cpus_per_task=2"}, obstacle: "it wants 2 CPUs per task"},
		{name: "contradiction", job: slurmctl.QueuedJob{AdminComment: "slurmlab tasks=2 nodes=3"}, obstacle: "2 cores on 3 nodes"},
		{name: "broken alternative", job: slurmctl.QueuedJob{Tasks: 1, Comment: "slurmlab alt: -c 2"}, obstacle: `option: got "-c", allowed -n, -N,`},
		{name: "impossible alternative", job: slurmctl.QueuedJob{Tasks: 1, Comment: "slurmlab alt: -N 3 -n 2"}, obstacle: "alternative 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.job.Name, tt.job.ID = "7", 11
			h := heldJob(tt.job, index)
			if h.Job != 7 || h.ID != 11 {
				t.Fatalf("%+v", h)
			}
			if tt.obstacle != "" {
				if !strings.Contains(h.Obstacle, tt.obstacle) {
					t.Errorf("obstacle %q, want %q", h.Obstacle, tt.obstacle)
				}
				return
			}
			if h.Obstacle != "" || !reflect.DeepEqual(h.Request, tt.want) {
				t.Errorf("%+v, obstacle %q, want %+v", h.Request, h.Obstacle, tt.want)
			}
		})
	}
}

// Of dependencies with "?" between them one is enough, of those with "," all are needed
// (sbatch(1)).
func TestNeverFulfilled(t *testing.T) {
	for dependency, want := range map[string]bool{
		"": false, "afterok:7(unfulfilled)": false, "singleton(unfulfilled)": false, "afterok:7(failed)": true,
		"afterok:7(failed),afterok:8(unfulfilled)": true, "afterok:7(failed)?afterok:8(unfulfilled)": false,
		"afterok:7(failed)?afterok:8(failed)": true,
	} {
		if got := neverFulfilled(dependency); got != want {
			t.Errorf("%q: %v, want %v", dependency, got, want)
		}
	}
}

// job_submit.lua lets a job that its owner holds begin in the year 2100.
func TestHeldByOwner(t *testing.T) {
	for start, want := range map[string]bool{"0001-01-01": false, "2030-01-01": false, "2100-01-01": true} {
		at, err := time.Parse(time.DateOnly, start)
		if err != nil {
			t.Fatal(err)
		}
		if h := heldJob(slurmctl.QueuedJob{ID: 1, Tasks: 1, Start: at}, nil); h.ByOwner != want || h.Obstacle != "" {
			t.Errorf("begin %s: %+v", start, h)
		}
	}
}

// A request for more memory than any node has must not wait without a word: Slurm
// accepts it from a held job. Nodes of a machine file have 1 MiB each.
func TestMemoryObstacle(t *testing.T) {
	nodes := []slurmctl.NodeRecord{{Name: "n1", Memory: 1}, {Name: "n2", Memory: 100}}
	for _, tt := range []struct {
		request bidding.Job
		want    string
	}{
		{bidding.Job{Cores: 1}, ""},
		{bidding.Job{Cores: 1, Options: bidding.JobOptions{MemoryPerNode: 100}}, ""},
		{bidding.Job{Cores: 1, Options: bidding.JobOptions{MemoryPerNode: 101}}, "it wants 101 MiB of memory on a node, and no node has more than 100 MiB"},
		{bidding.Job{Cores: 40, Options: bidding.JobOptions{MemoryPerCore: 100}}, ""},
		{bidding.Job{Nodes: 2, CoresPerNode: 3, Options: bidding.JobOptions{MemoryPerCore: 40}}, "it wants 120 MiB of memory on a node"},
		{bidding.Job{Nodes: 2, CoresPerNode: 3, Options: bidding.JobOptions{MemoryPerCore: 40},
			Alternatives: []bidding.Alternative{{Cores: 6}}}, ""},
	} {
		if got := memoryObstacle(tt.request, nodes); got != tt.want && (tt.want == "" || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%+v: %q, want %q", tt.request, got, tt.want)
		}
	}
}

// A type of GPUs that no node has is named. Slurm accepts such a request from a held job.
func TestTypeObstacle(t *testing.T) {
	nodes := []slurmctl.NodeRecord{{Name: "n1", GPUs: 2, GPUType: "a100"}, {Name: "n2", GPUs: 2}}
	for kind, want := range map[string]string{
		"": "", "a100": "", "tesla": "it wants GPUs of type tesla, and no node has GPUs of that type alone",
	} {
		if got := typeObstacle(bidding.Job{Cores: 1, GPUs: 1, Options: bidding.JobOptions{GPUType: kind}}, nodes); got != want {
			t.Errorf("%q: %q, want %q", kind, got, want)
		}
	}
}
