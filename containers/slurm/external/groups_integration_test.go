//go:build integration

package external_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// groups are three groups of nodes with two types of GPUs in four partitions, two nodes of
// which take no jobs.
func groups() layout.Layout {
	partition := func(name string, maxTime int, groups ...string) layout.Partition {
		return layout.Partition{Name: name, Groups: groups, MaxTime: maxTime, PriorityTier: 1, PriorityJobFactor: 1}
	}
	l := layout.Layout{
		Groups: []layout.Group{
			{Name: "thin", Count: 3, Sockets: 2, Cores: 4, Threads: 1, Memory: 4000, Features: []string{"ib"}, Weight: 10},
			{Name: "volta", Count: 2, Sockets: 1, Cores: 8, Threads: 2, Memory: 16000, GPUs: []layout.GPU{{Type: "v100", Count: 2}}, Features: []string{"ib", "gpu"}, Weight: 20},
			{Name: "ampere", Count: 1, Sockets: 1, Cores: 16, Threads: 1, Memory: 64000, GPUs: []layout.GPU{{Type: "a100", Count: 4}}, Features: []string{"gpu"}, Weight: 30},
		},
		Partitions: []layout.Partition{partition("batch", 60, "thin", "volta"), partition("gpu", 0, "volta", "ampere"), partition("long", 0, "thin"), partition("debug", 5, "thin", "volta", "ampere")},
		Down:       []layout.Down{{Nodes: "n3", State: layout.StateDrain, Reason: "water in the rack"}, {Nodes: "n5", State: layout.StateDown, Reason: "mainboard"}},
	}
	l.Partitions[0].Default, l.Partitions[2].MaxNodes = true, 1
	return l
}

// Placements follow slurm.conf(5) on weights ("nodes with the lowest weight that satisfy the job's requirements"),
// partitions, features, types of GPUs, memory and nodes out of service. Pending reasons follow squeue(1). "wide"
// takes all of n4, the lightest node of its partition with eight cores. So "any" and "memory" go to the heaviest one
// and "feature", which n6 lacks, waits. What scontrol prints is the layout again.
func TestGroups(t *testing.T) {
	c := backendtest.Start(t, backendtest.External(), slurm.WithMachine(6, 16, 4), slurm.WithLayout(groups()),
		slurm.WithCore(0), slurm.WithClock(clock.Settings{Kind: clock.KindJump}))
	began := time.Now()
	got := shell(t, c, `cd /tmp
job() { printf '#!/bin/bash\n# slurmlab seconds=100\n' > job.sh; sbatch --parsable -o /dev/null -t 5 "$@" job.sh 2>&1 | tail -1; }
slurmlabd clock go
sinfo -h -N -p debug -o '%N %t %c %m %G %f %w'
job -J light -n 4
job -J wide -N 1 -n 8
job -J a100 -p gpu --gres=gpu:a100:2 -n 1
job -J any -p gpu --gres=gpu:2 -n 2
job -J memory --mem=4001 -n 1 -p debug
job -J feature -C ib -p gpu -n 1
job -J h100 --gres=gpu:h100:1
job -J drained -w n3
job -J wider -p long -N 2
job -J longer -t 61
while [ "$(squeue -h -t PD -n light,wide,a100,any,memory,feature -o %i | wc -l)" != 0 ]; do [ $((i++)) -lt 30 ] || break; sleep 10; done
squeue -h -t PD -o '%j %r' | sort
while [ "$(squeue -h -t R,CG -o %i | wc -l)" != 0 ]; do sleep 10; done
scancel -u root
accounted
slurmlabd clock hold
sacct -n -X -P -o jobname,state,nodelist,elapsedraw | grep COMPLETED
`)
	want := `n1 idle 4 4000 (null) ib 10
n2 idle 4 4000 (null) ib 10
n3 drain 4 4000 (null) ib 10
n4 idle 8 16000 gpu:v100:2 ib,gpu 20
n5 down 8 16000 gpu:v100:2 ib,gpu 20
n6 idle 16 64000 gpu:a100:4 gpu 30
1
2
3
4
5
6
sbatch: error: Batch job submission failed: Requested node configuration is not available
8
9
10
drained ReqNodeNotAvail, May be reserved for other job
longer PartitionTimeLimit
wider PartitionNodeLimit
light|COMPLETED|n1|100
wide|COMPLETED|n4|100
a100|COMPLETED|n6|100
any|COMPLETED|n6|100
memory|COMPLETED|n6|100
feature|COMPLETED|n4|100
`
	if !backendtest.Same(got, want, time.Since(began)) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	readsBack(t, shell(t, c, "scontrol show node"), shell(t, c, "scontrol show partition"))
}

// readsBack compares what scontrol prints of the nodes and partitions with what they are; the
// groups are called after the nodes. A CPU of these nodes is a core, whatever threads it has.
func readsBack(t *testing.T, nodes, partitions string) {
	t.Helper()
	got, err := site.Read([]site.File{{Name: "nodes", Text: nodes}, {Name: "partitions", Text: partitions}}, site.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := groups()
	names := map[string]string{}
	for i := range want.Groups {
		names[want.Groups[i].Name] = got.Layout.Groups[i].Name
		want.Groups[i].Name = got.Layout.Groups[i].Name
		want.Groups[i].Threads = 1
		var hosts []string
		for n := range want.Groups[i].Count {
			hosts = append(hosts, fmt.Sprintf("n%d", want.First(i)+n))
		}
		want.Groups[i].Hosts = values.CompressHosts(hosts)
		slices.Sort(want.Groups[i].Features)
	}
	for _, p := range want.Partitions {
		for i := range p.Groups {
			p.Groups[i] = names[p.Groups[i]]
		}
	}
	if !reflect.DeepEqual(got.Layout, want) || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "threads of nodes such as n4 are left out") {
		t.Errorf("got\n%+v\nwant\n%+v\nnotes %q", got.Layout, want, got.Notes)
	}
}
