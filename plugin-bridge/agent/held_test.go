package agent

import (
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/slurmctl"
)

func TestHeldJob(t *testing.T) {
	index := map[string]int{"n1": 0, "n2": 1, "n3": 2}
	tests := []struct {
		name     string
		job      slurmctl.Job
		want     auction.Job
		obstacle string
	}{
		{name: "no note", job: slurmctl.Job{Tasks: 8, Nodes: 2, TasksPerNode: 4, GPUsPerNode: 1},
			want: auction.Job{Cores: 8, Nodes: 2, CoresPerNode: 4, GPUs: 1}},
		{name: "the note counts, not what an update left",
			job:  slurmctl.Job{Tasks: 8, Nodes: 8, TasksPerNode: 1, GPUsPerNode: 3, AdminComment: "slurmlab tasks=8 nodes=0 tasks_per_node=0 gpus=1-3"},
			want: auction.Job{Cores: 8, GPUs: 1, MaxGPUs: 3}},
		{name: "tasks implied by nodes", job: slurmctl.Job{Tasks: 1, AdminComment: "slurmlab tasks=0 nodes=3 tasks_per_node=0"},
			want: auction.Job{Cores: 3, Nodes: 3}},
		{name: "options",
			job: slurmctl.Job{Partition: "main", Features: "fast&big", Licences: "matlab:2,fluent", Sharing: slurmctl.SharingNone,
				AdminComment: "slurmlab tasks=4 nodes=0 tasks_per_node=0 nodelist=n[2-3] exclude=n1 mem_per_cpu=7 switches=2"},
			want: auction.Job{Cores: 4, Options: auction.JobOptions{
				Partition: "main", Features: []string{"fast", "big"}, Required: []int{1, 2}, Excluded: []int{0}, Exclusive: true,
				MemoryPerCore: 7, Switches: 2, Licences: []auction.Licence{{Name: "matlab", Count: 2}, {Name: "fluent", Count: 1}}}}},
		{name: "alternatives", job: slurmctl.Job{Comment: "slurmlab alt: -n 2 --gres=gpu:1", AdminComment: "slurmlab tasks=4"},
			want: auction.Job{Cores: 4, Alternatives: []auction.Alternative{{Cores: 2, GPUs: 1, MaxGPUs: 1}}}},
		{name: "GPUs cannot be taken away again",
			job:  slurmctl.Job{GPUsPerNode: 1, Comment: "slurmlab alt: -n 2 --gres=gpu:1 | -n 3", AdminComment: "slurmlab tasks=4 gpus=2-2"},
			want: auction.Job{Cores: 4, GPUs: 2, MaxGPUs: 2, Alternatives: []auction.Alternative{{Cores: 2, GPUs: 1, MaxGPUs: 1}}}},
		{name: "several partitions", job: slurmctl.Job{Tasks: 1, Partition: "a,b"}, obstacle: "it names several partitions, a,b"},
		{name: "exclusive to its user", job: slurmctl.Job{Tasks: 1, Sharing: slurmctl.SharingUser}, obstacle: "it shares nodes"},
		{name: "constraint", job: slurmctl.Job{Tasks: 1, Features: "fast|big"}, obstacle: `its constraint "fast|big" is not a list`},
		{name: "count of features", job: slurmctl.Job{Tasks: 1, Features: "[a*2&b]"}, obstacle: "its constraint"},
		{name: "licences", job: slurmctl.Job{Tasks: 1, Licences: "a|b"}, obstacle: `its licences "a|b"`},
		{name: "unknown node", job: slurmctl.Job{AdminComment: "slurmlab tasks=1 nodelist=n9"}, obstacle: "it names node n9, which does not exist"},
		{name: "CPUs per task", job: slurmctl.Job{AdminComment: "slurmlab tasks=1 cpus_per_task=2"}, obstacle: "it wants 2 CPUs per task"},
		{name: "contradiction", job: slurmctl.Job{AdminComment: "slurmlab tasks=2 nodes=3"}, obstacle: "2 cores on 3 nodes"},
		{name: "broken alternative", job: slurmctl.Job{Tasks: 1, Comment: "slurmlab alt: -c 2"}, obstacle: "unknown option -c"},
		{name: "impossible alternative", job: slurmctl.Job{Tasks: 1, Comment: "slurmlab alt: -N 3 -n 2"}, obstacle: "alternative 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.job.Name, tt.job.ID = "7", 11
			h, err := heldJob(tt.job, index)
			if err != nil || h.Name != 7 || h.ID != 11 {
				t.Fatalf("%+v, %v", h, err)
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
	if _, err := heldJob(slurmctl.Job{ID: 3, AdminComment: "other words"}, index); err == nil || !strings.Contains(err.Error(), "job 3: read admin comment") {
		t.Errorf("error %v", err)
	}
}
