package sbatch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

func TestArgv(t *testing.T) {
	const text = "#!/bin/sh\nsleep 1\n"
	for _, c := range []struct {
		request sbatch.Request
		want    string
	}{
		{sbatch.Request{Name: "1", Tasks: 1, TimeLimit: time.Minute, Script: text},
			"sbatch --parsable -J 1 -n 1 -t 1 -o /dev/null -e /dev/null"},
		{sbatch.Request{Name: "17", Tasks: 2048, Nodes: 512, GPUsMin: 2, GPUsMax: 2, TimeLimit: 26 * time.Hour, Script: text},
			"sbatch --parsable -J 17 -n 2048 -N 512 --gres=gpu:2 -t 1560 -o /dev/null -e /dev/null"},
		{sbatch.Request{Name: "a.b_c-d", Tasks: 12, Nodes: 3, TasksPerNode: 4, GPUsMin: 1, GPUsMax: 3, Contiguous: true,
			TimeLimit: 5 * time.Minute, Hold: true, Script: text},
			"sbatch --parsable -J a.b_c-d -n 12 -N 3 --ntasks-per-node=4 --gres=gpu:1-3 --contiguous -t 5 -H -o /dev/null -e /dev/null"},
		{sbatch.Request{Name: "c", Tasks: 1, Terms: sbatch.Terms{Account: "alice"}, TimeLimit: time.Minute, Script: text},
			"sbatch --parsable -J c -n 1 --account=alice -t 1 -o /dev/null -e /dev/null"},
		{sbatch.Request{Name: "b", Tasks: 1, TimeLimit: time.Minute, Begin: time.Date(2037, 1, 2, 3, 4, 5, 0, time.UTC),
			Path: "/opt/payload", Args: []string{"77", "a b;$(rm)"}},
			"sbatch --parsable -J b -n 1 -t 1 --begin=2037-01-02T03:04:05 -o /dev/null -e /dev/null /opt/payload 77 a b;$(rm)"},
		{sbatch.Request{Name: "d", Tasks: 1, TimeLimit: time.Minute, After: []int{7, 9}, Script: text},
			"sbatch --parsable -J d -n 1 -t 1 --dependency=after:7:9 -o /dev/null -e /dev/null"},
		{sbatch.Request{Name: "e", Tasks: 1, TimeLimit: time.Minute, After: []int{7}, Terms: sbatch.Terms{Dependency: "afterok:9", Nice: -5}, Script: text},
			"sbatch --parsable -J e -n 1 --nice=-5 -t 1 --dependency=after:7,afterok:9 -o /dev/null -e /dev/null"},
		{sbatch.Request{Name: "f", Tasks: 1, TimeLimit: time.Minute, Terms: sbatch.Terms{Dependency: "afterany:9", Priority: 12}, Script: text},
			"sbatch --parsable -J f -n 1 --priority=12 -t 1 --dependency=afterany:9 -o /dev/null -e /dev/null"},
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

func TestValidate(t *testing.T) {
	good := sbatch.Request{Name: "1", Tasks: 4, TimeLimit: time.Minute, Script: "#!/bin/sh\n"}
	for _, c := range []struct {
		change func(*sbatch.Request)
		want   string
	}{
		{func(r *sbatch.Request) { r.Name = "" }, `name "": want 1 to 64 letters`},
		{func(r *sbatch.Request) { r.Name = "a b" }, `name "a b"`},
		{func(r *sbatch.Request) { r.Name = "x=y" }, `name "x=y"`},
		{func(r *sbatch.Request) { r.Name = "-x" }, `name "-x"`},
		{func(r *sbatch.Request) { r.Name = strings.Repeat("x", 65) }, "name"},
		{func(r *sbatch.Request) { r.Nice, r.Priority = 1, 2 }, "priority 2 and nice value 1: want one of them at most"},
		{func(r *sbatch.Request) { r.Priority = -1 }, "priority -1 and nice value 0"},
		{func(r *sbatch.Request) { r.Dependency = "afterok:7,x" }, `dependency "afterok:7,x": want KIND:ID`},
		{func(r *sbatch.Request) { r.Dependency = "singleton" }, `dependency "singleton": want KIND:ID`},
		{func(r *sbatch.Request) { r.BeginAfter = 5 }, `begin after 5 s, array "": want neither, only a workload's job has them`},
		{func(r *sbatch.Request) { r.Array = "7" }, `array "7": want neither`},
		{func(r *sbatch.Request) { r.Tasks = 0 }, "tasks 0: want at least 1"},
		{func(r *sbatch.Request) { r.Nodes = 5 }, "nodes 5: want 0 to 4"},
		{func(r *sbatch.Request) { r.Nodes = -1 }, "nodes -1"},
		{func(r *sbatch.Request) { r.TasksPerNode = 5 }, "tasks per node 5"},
		{func(r *sbatch.Request) { r.GPUsMin = 2 }, "GPUs per node 2 to 0: want 0 <= least <= most"},
		{func(r *sbatch.Request) { r.GPUsMax = 2 }, "GPUs per node 0 to 2: want a range that begins at 1"},
		{func(r *sbatch.Request) { r.TimeLimit = 90 * time.Second }, "time limit 1m30s"},
		{func(r *sbatch.Request) { r.TimeLimit = 0 }, "time limit 0s"},
		{func(r *sbatch.Request) { r.Script = "" }, "either a script text or a script path"},
		{func(r *sbatch.Request) { r.Path = "/x" }, "either a script text or a script path"},
		{func(r *sbatch.Request) { r.Script = "sleep 1" }, "begins with #!"},
		{func(r *sbatch.Request) { r.Script = "#!/bin/sh\n# x\n\n#SBATCH -N 2\n" }, "no #SBATCH lines"},
		{func(r *sbatch.Request) { r.Script = "#!/bin/sh\n#SBATCH -N 2\n" }, "no #SBATCH lines"},
		{func(r *sbatch.Request) { r.Script, r.Path = "", "x" }, `script path "x": want an absolute path`},
		{func(r *sbatch.Request) { r.Args = []string{"1"} }, "want none for a script text"},
	} {
		r := good
		c.change(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	// All faults are listed.
	err := sbatch.Request{}.Validate()
	for _, want := range []string{"name", "tasks", "time limit", "script"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
