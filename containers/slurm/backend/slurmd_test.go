package backend

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// No two slurmds share a port or a file, and each file is where slurm.conf has it for
// that node (%n in slurm.conf(5)).
func TestSlurmdsShareNothing(t *testing.T) {
	most := maxNodes
	nodes := slurmdNodes(conf.Spec{Nodes: most, Cores: 8, GPUs: 2})
	if !strings.Contains(nodes.Conf.Options, fmt.Sprintf("Port=[17001-%d]", 17000+most)) {
		t.Errorf("options %q have not a port for each of %d nodes", nodes.Conf.Options, most)
	}
	if len(nodes.Programs) != most {
		t.Fatalf("%d programs, want %d", len(nodes.Programs), most)
	}
	seen := map[string]bool{}
	for i, p := range nodes.Programs {
		node := fmt.Sprintf("n%d", i+1)
		if p.Part != "slurmd" || !slices.Equal(p.Argv, []string{"slurmd", "-D", "-N", node}) {
			t.Errorf("program of %s: %+v", node, p)
		}
		for setting, path := range map[string]string{
			"SlurmdPidFile=": p.PIDFile, "SlurmdLogFile=": boot.LogDir + "/" + p.Log,
		} {
			i := slices.IndexFunc(nodes.Conf.Lines, func(line string) bool { return strings.HasPrefix(line, setting) })
			if i < 0 || strings.ReplaceAll(nodes.Conf.Lines[i], "%n", node) != setting+path {
				t.Errorf("%s%s is not what slurm.conf has: %q", setting, path, nodes.Conf.Lines)
			}
		}
		for _, own := range []string{p.Name, p.Log, p.PIDFile} {
			if seen[own] {
				t.Errorf("two daemons have %q", own)
			}
			seen[own] = true
		}
	}
}

// Each GPU has a file of its own, which is a device; a machine without GPUs has no
// gres.conf.
func TestFilesOfGPUs(t *testing.T) {
	files := func(gpus int) string {
		var text strings.Builder
		for _, f := range slurmdNodes(conf.Spec{Nodes: 3, Cores: 8, GPUs: gpus}).Conf.Files {
			fmt.Fprintf(&text, "%s %s%s\n", f.Name, f.Link, strings.TrimSpace(string(f.Data)))
		}
		return text.String()
	}
	if got, want := files(2), `cgroup.conf CgroupPlugin=disabled
gpu0 /dev/null
gpu1 /dev/null
gres.conf NodeName=n[1-3] Name=gpu File=/etc/slurm/gpu0,/etc/slurm/gpu1
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := files(0), "cgroup.conf CgroupPlugin=disabled\n"; got != want {
		t.Errorf("without GPUs: got\n%s\nwant\n%s", got, want)
	}
}
