package slurmctl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

func TestSubmitArgv(t *testing.T) {
	const text = "#!/bin/sh\nsleep 1\n"
	for _, c := range []struct {
		request slurmctl.SubmitRequest
		want    string
	}{
		{slurmctl.SubmitRequest{Name: "1", Tasks: 1, TimeLimit: time.Minute, Script: text},
			"sbatch --parsable -J 1 -n 1 -t 1 -o /dev/null -e /dev/null"},
		{slurmctl.SubmitRequest{Name: "17", Tasks: 2048, Nodes: 512, GPUsMin: 2, GPUsMax: 2, TimeLimit: 26 * time.Hour, Script: text},
			"sbatch --parsable -J 17 -n 2048 -N 512 --gres=gpu:2 -t 1560 -o /dev/null -e /dev/null"},
		{slurmctl.SubmitRequest{Name: "a.b_c-d", Tasks: 12, Nodes: 3, TasksPerNode: 4, GPUsMin: 1, GPUsMax: 3, Contiguous: true,
			TimeLimit: 5 * time.Minute, Hold: true, Script: text},
			"sbatch --parsable -J a.b_c-d -n 12 -N 3 --ntasks-per-node=4 --gres=gpu:1-3 --contiguous -t 5 -H -o /dev/null -e /dev/null"},
		{slurmctl.SubmitRequest{Name: "c", Tasks: 1, Account: "alice", TimeLimit: time.Minute, Script: text},
			"sbatch --parsable -J c -n 1 --account=alice -t 1 -o /dev/null -e /dev/null"},
		{slurmctl.SubmitRequest{Name: "b", Tasks: 1, TimeLimit: time.Minute, Begin: at("2037-01-02T03:04:05"),
			Path: "/opt/payload", Args: []string{"77", "a b;$(rm)"}},
			"sbatch --parsable -J b -n 1 -t 1 --begin=2037-01-02T03:04:05 -o /dev/null -e /dev/null /opt/payload 77 a b;$(rm)"},
		{slurmctl.SubmitRequest{Name: "d", Tasks: 1, TimeLimit: time.Minute, After: []int{7, 9}, Script: text},
			"sbatch --parsable -J d -n 1 -t 1 --dependency=after:7:9 -o /dev/null -e /dev/null"},
	} {
		if err := c.request.Validate(); err != nil {
			t.Error(err)
		}
		argv := c.request.Argv()
		if got := strings.Join(argv, " "); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
		// No shell is involved: an argument stays one word.
		if n := len(c.request.Args); n > 0 && argv[len(argv)-1] != c.request.Args[n-1] {
			t.Errorf("%q", argv)
		}
	}
}

func TestSubmitRequestValidate(t *testing.T) {
	good := slurmctl.SubmitRequest{Name: "1", Tasks: 4, TimeLimit: time.Minute, Script: "#!/bin/sh\n"}
	for _, c := range []struct {
		change func(*slurmctl.SubmitRequest)
		want   string
	}{
		{func(r *slurmctl.SubmitRequest) { r.Name = "" }, `name "": want 1 to 64 letters`},
		{func(r *slurmctl.SubmitRequest) { r.Name = "a b" }, `name "a b"`},
		{func(r *slurmctl.SubmitRequest) { r.Name = "x=y" }, `name "x=y"`},
		{func(r *slurmctl.SubmitRequest) { r.Name = "-x" }, `name "-x"`},
		{func(r *slurmctl.SubmitRequest) { r.Name = strings.Repeat("x", 65) }, "name"},
		{func(r *slurmctl.SubmitRequest) { r.Tasks = 0 }, "tasks 0: want at least 1"},
		{func(r *slurmctl.SubmitRequest) { r.Nodes = 5 }, "nodes 5: want 0 to 4"},
		{func(r *slurmctl.SubmitRequest) { r.Nodes = -1 }, "nodes -1"},
		{func(r *slurmctl.SubmitRequest) { r.TasksPerNode = 5 }, "tasks per node 5"},
		{func(r *slurmctl.SubmitRequest) { r.GPUsMin = 2 }, "GPUs per node 2 to 0: want 0 <= least <= most"},
		{func(r *slurmctl.SubmitRequest) { r.GPUsMax = 2 }, "GPUs per node 0 to 2: want a range that begins at 1"},
		{func(r *slurmctl.SubmitRequest) { r.TimeLimit = 90 * time.Second }, "time limit 1m30s"},
		{func(r *slurmctl.SubmitRequest) { r.TimeLimit = 0 }, "time limit 0s"},
		{func(r *slurmctl.SubmitRequest) { r.Script = "" }, "either a script text or a script path"},
		{func(r *slurmctl.SubmitRequest) { r.Path = "/x" }, "either a script text or a script path"},
		{func(r *slurmctl.SubmitRequest) { r.Script = "sleep 1" }, "begins with #!"},
		{func(r *slurmctl.SubmitRequest) { r.Script = "#!/bin/sh\n#SBATCH -N 2\n" }, "no #SBATCH lines"},
		{func(r *slurmctl.SubmitRequest) { r.Script, r.Path = "", "x" }, `script path "x": want an absolute path`},
		{func(r *slurmctl.SubmitRequest) { r.Args = []string{"1"} }, "want none for a script text"},
	} {
		r := good
		c.change(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	// All faults are listed, and nothing is run.
	_, err := (&slurmctl.Client{}).Submit(t.Context(), slurmctl.SubmitRequest{})
	for _, want := range []string{"name", "tasks", "time limit", "script"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

func TestUpdateCommands(t *testing.T) {
	for _, c := range []struct {
		place slurmctl.Placement
		want  []string
	}{
		{slurmctl.Placement{JobID: 7, Nodes: []string{"n1", "n2", "n5"}, Tasks: 16, MinCPUsNode: 1},
			[]string{"update JobId=7 ResetAccrueTime NumNodes=3-3 NodeList=n[1-2,5] NumTasks=16 TasksPerNode=0 MinCPUsNode=1 NumCPUs=16"}},
		{slurmctl.Placement{JobID: 7, Nodes: []string{"n1", "n2"}, Tasks: 16, TasksPerNode: 8, GPUsPerNode: 2},
			[]string{"update JobId=7 ResetAccrueTime NumNodes=2-2 NodeList=n[1-2] NumTasks=16 TasksPerNode=8 MinCPUsNode=8 NumCPUs=16",
				"update JobId=7 ResetAccrueTime TresPerNode=gres/gpu:2"}},
		{slurmctl.Placement{JobID: 7, Nodes: []string{"n1"}, Tasks: 2, MinCPUsNode: 1, Nice: -20},
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

func TestPlacementValidate(t *testing.T) {
	nodes := []string{"n1", "n2"}
	for _, c := range []struct {
		place slurmctl.Placement
		want  string
	}{
		{slurmctl.Placement{Nodes: nodes, Tasks: 4, MinCPUsNode: 1}, "positive job id"},
		{slurmctl.Placement{JobID: 1, Tasks: 4, MinCPUsNode: 1}, "at least one node"},
		{slurmctl.Placement{JobID: 1, Nodes: nodes, Tasks: 1, MinCPUsNode: 1}, "1 tasks: want at least one for each of 2 nodes"},
		// Slurm would raise NumCPUs to 6 without a word.
		{slurmctl.Placement{JobID: 1, Nodes: nodes, Tasks: 4, MinCPUsNode: 3}, "3 CPUs a node on 2 nodes: want 1 to 2"},
		{slurmctl.Placement{JobID: 1, Nodes: nodes, Tasks: 4}, "0 CPUs a node"},
		{slurmctl.Placement{JobID: 1, Nodes: nodes, Tasks: 4, TasksPerNode: 3}, "3 tasks per node on 2 nodes: want 4 tasks in all"},
		{slurmctl.Placement{JobID: 1, Nodes: nodes, Tasks: 4, TasksPerNode: 2, MinCPUsNode: 2}, "want 0 together with tasks per node"},
		{slurmctl.Placement{JobID: 1, Nodes: nodes, Tasks: 4, MinCPUsNode: 1, GPUsPerNode: -1}, "-1 GPUs a node"},
		{slurmctl.Placement{JobID: 1, Nodes: []string{"n1", "n1"}, Tasks: 4, MinCPUsNode: 1}, "node n1 is named twice"},
	} {
		if err := c.place.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
