package backend

import (
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// ExternalSeries is the release series of a Slurm with external nodes.
const ExternalSeries = "26.05"

// RunnerCommand is the command of this program that runs the jobs.
const RunnerCommand = "runner"

// external is this kind of cluster.
type external struct{}

// Name implements backend.Kind.
func (external) Name() string { return ExternalSeries }

// Series implements backend.Kind.
func (external) Series() string { return ExternalSeries }

// About implements backend.Kind.
func (external) About() string { return "external nodes, no slurmd: no srun, salloc, job arrays" }

// Image implements backend.Kind.
func (external) Image() string { return "slurmlab:" + ExternalSeries }

// MaxNodes implements backend.Kind.
func (external) MaxNodes() int { return 0 }

// Events implements backend.Kind.
func (external) Events() bool { return true }

// Groups implements backend.Kind.
func (external) Groups() bool { return true }

// Nodes implements backend.Kind.
func (external) Nodes(conf.Spec) boot.Nodes {
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
