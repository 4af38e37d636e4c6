package backend

import (
	"fmt"
	"strconv"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// RunnerCommand is the command of this program that runs the jobs.
const RunnerCommand = "runner"

// external is the form with nodes that somebody else than Slurm manages; see package containers/slurm/external.
func external() Traits {
	return Traits{
		About: "fastest, without slurmd: no srun, salloc, job arrays", Groups: true, Blocks: true, Events: true, Stops: true, Rootless: true,
		nodes: externalNodes,
	}
}

func externalNodes(s conf.Spec) boot.Nodes {
	nodes := boot.Nodes{
		Conf: conf.Nodes{
			Lines: []string{
				"# No node is asked for a sign of life.",
				"SlurmdTimeout=0",
				"# backfill logs a start with this flag and at this level only (_start_job in",
				"# src/plugins/sched/backfill/backfill.c, log_flag in src/common/log.h).",
				"DebugFlags=HetJob",
				"SlurmctldDebug=verbose",
			},
			// A node without an address costs 11 s of slurmctld's time, with its locks held,
			// whenever a job is suspended; that nobody listens there it sees at once.
			Options:  "NodeAddr=127.0.0.1 State=EXTERNAL",
			External: true,
		},
		Programs: []boot.Program{{Part: "runner", Log: "runner.out", Argv: []string{RunnerCommand}, Own: true}},
		// Jobs that start before the runner are running jobs when it begins.
		Ready:  func(boot.Ask) error { return nil },
		Starts: []string{"slurmscript"},
		// Measured: 6 kB of slurmctld for each node. A job of a workload is no process; a
		// script of people's may be several.
		PerNode: boot.Footprint{Memory: 64 << 10},
		PerJob:  boot.Footprint{Memory: 16 << 20, Processes: 64},
	}
	if shards, mps := s.Layout.Shares(); shards || mps {
		lines, files := sharedGPUs(s)
		nodes.Conf.Lines, nodes.Conf.Files = append(nodes.Conf.Lines, lines...), files
		nodes.Register = gpuNodes(s)
	}
	return nodes
}

// sharedGPUs are what a slurmd needs that registers a node with shared GPUs: a file for each of them. Slurm wants the files to be devices, and
// opens none. All nodes with GPUs have files: "If you specify the File parameter for a resource on some node, the option must be specified
// on all nodes" (gres.conf(5)).
func sharedGPUs(s conf.Spec) (lines []string, files []conf.File) {
	lines = []string{
		"# Each node with GPUs registers once, so that Slurm knows which GPU its shards are on.",
		"SlurmdParameters=config_overrides",
		"SlurmdSpoolDir=/var/spool/slurmd-%n",
		"SlurmdPidFile=/run/slurmd-%n.pid",
		"SlurmdLogFile=/var/log/slurm/register.log",
	}
	files = gpuFiles(s.GPUs)
	gres := ""
	for i, g := range s.Layout.Groups {
		from := 0
		for _, gpu := range g.GPUs {
			kind := ""
			if gpu.Type != "" {
				kind = " Type=" + gpu.Type
			}
			gres += fmt.Sprintf("NodeName=%s Name=gpu%s File=%s/gpu[%d-%d]\n", s.Layout.NodesOf(i), kind, conf.Dir, from, from+gpu.Count-1)
			from += gpu.Count
		}
	}
	return lines, append(files, conf.File{Name: "cgroup.conf", Mode: 0o644, Data: []byte("CgroupPlugin=disabled\n")},
		conf.File{Name: "gres.conf", Mode: 0o644, Data: []byte(gres)})
}

// gpuNodes are the names of the nodes that have GPUs.
func gpuNodes(s conf.Spec) []string {
	var names []string
	for i, group := range s.Layout.GroupOf() {
		if s.Layout.Groups[group].AllGPUs() > 0 {
			names = append(names, layout.NodePrefix+strconv.Itoa(i+1))
		}
	}
	return names
}
