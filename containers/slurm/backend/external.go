package backend

import (
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// RunnerCommand is the command of this program that runs the jobs.
const RunnerCommand = "runner"

// external is the form with nodes that somebody else than Slurm manages; see package containers/slurm/external.
func external() Traits {
	return Traits{
		About: "external nodes, no slurmd: no srun, salloc, job arrays", Groups: true, Events: true, Stops: true, Rootless: true,
		nodes: externalNodes,
	}
}

func externalNodes(conf.Spec) boot.Nodes {
	return boot.Nodes{
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
}
