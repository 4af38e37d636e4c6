package slurmctl_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl"
)

func TestUpdateCommands(t *testing.T) {
	for _, c := range []struct {
		place slurmctl.JobUpdate
		want  []string
	}{
		{slurmctl.JobUpdate{JobID: 7, Nodes: []string{"n1", "n2", "n5"}, Tasks: 16, MinCPUsNode: 1},
			[]string{"update JobId=7 ResetAccrueTime NumNodes=3-3 NodeList=n[1-2,5] NumTasks=16 TasksPerNode=0 MinCPUsNode=1 NumCPUs=16"}},
		{slurmctl.JobUpdate{JobID: 7, Nodes: []string{"n1", "n2"}, Tasks: 16, TasksPerNode: 8, GPUsPerNode: 2},
			[]string{"update JobId=7 ResetAccrueTime NumNodes=2-2 NodeList=n[1-2] NumTasks=16 TasksPerNode=8 MinCPUsNode=8 NumCPUs=16",
				"update JobId=7 ResetAccrueTime TresPerNode=gres/gpu:2"}},
		{slurmctl.JobUpdate{JobID: 7, Nodes: []string{"n1"}, Tasks: 2, MinCPUsNode: 1, Nice: -20},
			[]string{"update JobId=7 ResetAccrueTime NumNodes=1-1 NodeList=n1 NumTasks=2 TasksPerNode=0 MinCPUsNode=1 NumCPUs=2 Nice=-20"}},
	} {
		if err := c.place.Validate(); err != nil {
			t.Error(err)
		}
		if got := slurmctl.UpdateCommands(c.place); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := slurmctl.ReleaseCommand(7) + "," + slurmctl.HoldCommand(7); got != "release 7,hold 7" {
		t.Error(got)
	}
}

// No command is longer than what a Session sends to scontrol, 4094 bytes, however many jobs wait.
func TestStartAfterCommands(t *testing.T) {
	if got := slurmctl.StartAfterCommands(nil, []int{7}); got != nil {
		t.Errorf("%q for no job", got)
	}
	ids := make([]int, 250)
	for i := range ids {
		ids[i] = 9_000_001 + i
	}
	commands := slurmctl.StartAfterCommands(ids, []int{7, 8})
	if len(commands) != 3 || !strings.HasPrefix(commands[2], "update JobId=9000201,9000202,") || !strings.HasSuffix(commands[2], ",9000250 Dependency=after:7:8") {
		t.Errorf("%q", commands)
	}
	for _, c := range commands {
		if len(c) > 4094 {
			t.Errorf("a command of %d bytes", len(c))
		}
	}
}

func TestPlacementValidate(t *testing.T) {
	nodes := []string{"n1", "n2"}
	for _, c := range []struct {
		place slurmctl.JobUpdate
		want  string
	}{
		{slurmctl.JobUpdate{Nodes: nodes, Tasks: 4, MinCPUsNode: 1}, "positive job id"},
		{slurmctl.JobUpdate{JobID: 1, Tasks: 4, MinCPUsNode: 1}, "at least one node"},
		{slurmctl.JobUpdate{JobID: 1, Nodes: nodes, Tasks: 1, MinCPUsNode: 1}, "1 tasks: want at least one for each of 2 nodes"},
		// Slurm would raise NumCPUs to 6 without a word.
		{slurmctl.JobUpdate{JobID: 1, Nodes: nodes, Tasks: 4, MinCPUsNode: 3}, "3 CPUs a node on 2 nodes: want 1 to 2"},
		{slurmctl.JobUpdate{JobID: 1, Nodes: nodes, Tasks: 4}, "0 CPUs a node"},
		{slurmctl.JobUpdate{JobID: 1, Nodes: nodes, Tasks: 4, TasksPerNode: 3}, "3 tasks per node on 2 nodes: want 4 tasks in all"},
		{slurmctl.JobUpdate{JobID: 1, Nodes: nodes, Tasks: 4, TasksPerNode: 2, MinCPUsNode: 2}, "want 0 together with tasks per node"},
		{slurmctl.JobUpdate{JobID: 1, Nodes: nodes, Tasks: 4, MinCPUsNode: 1, GPUsPerNode: -1}, "-1 GPUs a node"},
		{slurmctl.JobUpdate{JobID: 1, Nodes: []string{"n1", "n1"}, Tasks: 4, MinCPUsNode: 1}, "node n1 is named twice"},
	} {
		if err := c.place.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
