package backend

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Slurm manages no node: without a slurmd nothing may wait for one, and jobs end up on
// external nodes only if they are external, too.
func TestNodesAreExternal(t *testing.T) {
	s := conf.Spec{
		Slurm: "26.05", Nodes: 1408, Cores: 12, GPUs: 3, Scheduler: conf.Scheduler{Type: conf.Backfill},
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
