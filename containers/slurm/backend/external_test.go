package backend

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Slurm manages no node: without a slurmd nothing may wait for one, and jobs end up on external nodes only if they
// are external as well.
func TestNodesAreExternal(t *testing.T) {
	s := conf.Spec{
		Form: "external", Slurm: "26.05", Nodes: 1408, Cores: 12, GPUs: 3, Scheduler: conf.Scheduler{Type: conf.Backfill},
		Priority: priority.Basic, Clock: clock.Settings{Kind: clock.KindReal},
	}
	files, err := conf.Files(s, externalNodes(s).Conf, conf.Root())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, f := range files {
		byName[f.Name] = string(f.Data)
	}
	for _, want := range []string{
		"\nNodeName=n[1-1408] CPUs=12 Sockets=1 CoresPerSocket=12 ThreadsPerCore=1 Gres=gpu:3 NodeAddr=127.0.0.1 State=EXTERNAL\n",
		"\nSlurmdTimeout=0\n", "\nDebugFlags=HetJob\nSlurmctldDebug=verbose\n",
	} {
		if !strings.Contains(byName["slurm.conf"], want) {
			t.Errorf("slurm.conf lacks %q:\n%s", want, byName["slurm.conf"])
		}
	}
	if strings.Contains(byName["slurm.conf"], "Frontend") || byName["gres.conf"] != "" {
		t.Error("the configuration speaks of what only a slurmd has")
	}
	if !strings.Contains(byName["job_submit.lua"], `local scripts = "`+conf.ScriptDir+`"`) {
		t.Error("job_submit.lua does not make jobs external")
	}
}

// With shards each node with GPUs registers once, and has a file for each of its GPUs; without them none does.
func TestSharedGPUs(t *testing.T) {
	l := layout.Layout{Groups: []layout.Group{
		{Name: "thin", Count: 2, Sockets: 1, Cores: 8, Threads: 1, Weight: 1},
		{Name: "a", Count: 2, Sockets: 1, Cores: 8, Threads: 1, Weight: 1, GPUs: []layout.GPU{{Type: "a100", Count: 2}, {Type: "a100_3g.20gb", Count: 2}}, Shards: 8},
		{Name: "b", Count: 1, Sockets: 1, Cores: 8, Threads: 1, Weight: 1, GPUs: []layout.GPU{{Count: 1}}},
	}, Partitions: []layout.Partition{{Name: "p", Groups: []string{"thin", "a", "b"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1}}}
	s := conf.Spec{
		Form: "external", Slurm: "26.05", Nodes: 5, Cores: 8, GPUs: 4, Layout: l, Scheduler: conf.Scheduler{Type: conf.Backfill},
		Priority: priority.Basic, Clock: clock.Settings{Kind: clock.KindReal},
	}
	nodes := externalNodes(s)
	files, err := conf.Files(s, nodes.Conf, conf.Root())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, f := range files {
		byName[f.Name] = string(f.Data) + f.Link
	}
	if got, want := byName["gres.conf"], "NodeName=n[3-4] Name=gpu Type=a100 File=/etc/slurm/gpu[0-1]\nNodeName=n[3-4] Name=gpu Type=a100_3g.20gb File=/etc/slurm/gpu[2-3]\nNodeName=n[5-5] Name=gpu File=/etc/slurm/gpu[0-0]\n"; got != want {
		t.Errorf("gres.conf: got\n%s\nwant\n%s", got, want)
	}
	for _, want := range []string{"\nGresTypes=gpu,shard\n", ",gres/gpu:a100_3g.20gb,gres/shard\n", " Gres=gpu:a100:2,gpu:a100_3g.20gb:2,shard:8 "} {
		if !strings.Contains(byName["slurm.conf"], want) {
			t.Errorf("slurm.conf lacks %q:\n%s", want, byName["slurm.conf"])
		}
	}
	if got := strings.Join(nodes.Register, ","); got != "n3,n4,n5" || byName["gpu3"] != "/dev/null" {
		t.Errorf("%s register, gpu3 is %q", got, byName["gpu3"])
	}
	s.Layout.Groups[1].Shards = 0
	if nodes = externalNodes(s); len(nodes.Register)+len(nodes.Conf.Files) > 0 {
		t.Errorf("without shards: %v register with %v", nodes.Register, nodes.Conf.Files)
	}
}
