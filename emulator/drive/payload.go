package drive

import (
	"fmt"

	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
	"github.com/slurmlab/slurmlab/workloads"
)

// script is the script of a sleep job that ends its run time, in virtual seconds, after Slurm's start time of the
// job. It counts from that start time, and not from its own first instruction. Otherwise the time that slurmd takes
// to launch it would be part of the run time, and grow with the number of jobs under a fast clock on one machine.
//
// A job with a range of GPUs reads from Slurm how many it got per node, which in front-end mode no variable of its
// environment has. It shortens its run time as workloads.Job.RuntimeOn does. Every other job uses builtins of bash
// only up to the sleep: no fork costs time. What the job does then is its ending, which starts only another sleep.
func script(job workloads.Job) string {
	s := seconds(job)
	become, last := "exec ", ""
	if s.End != jobs.Completes {
		become, last = "", ending(s.End)
	}
	return fmt.Sprintf(`#!/bin/bash
%s
runtime=%d
%send=$(( (SLURM_JOB_START_TIME + runtime) * 1000000 ))
left=$(( end - ${EPOCHREALTIME/./} ))
if (( left > 0 )); then
	printf -v fraction %%06d $((left %% 1000000))
	%ssleep "$((left / 1000000)).$fraction"
fi
%s`, s.Line(), lasts(job), fewerSeconds(job), become, last)
}

// ending are the last lines of a script that does not complete. Where nothing limits a job's
// memory, slurmlabd reports that to slurmctld as slurmstepd would.
func ending(end jobs.End) string {
	if end == jobs.Fails {
		return "exit 1\n"
	}
	return end.Script()
}

// beyondLimit is by how much a job that is to run into its limit would run longer. Should
// Slurm not kill it, it completes, which is not how it was to end.
const beyondLimit = 24 * 3600

// lasts is how long the job lasts on the least number of GPUs, in seconds, if nobody ends it.
func lasts(job workloads.Job) int {
	if job.Outcome == workloads.Timeout {
		return job.Runtime + beyondLimit
	}
	return job.Runtime
}

// seconds is how long the job takes and how it ends, for a cluster whose nodes do not run
// scripts.
func seconds(job workloads.Job) jobs.Seconds {
	s := jobs.Seconds{Fixed: lasts(job)}
	switch job.Outcome {
	case workloads.Failed:
		s.End = jobs.Fails
	case workloads.OutOfMemory:
		s.End = jobs.LacksMemory
	case workloads.Cancelled, workloads.CancelledPending:
		s.End = jobs.IsCancelled
	case workloads.Completed, workloads.Timeout:
	}
	if shortens(job) {
		s.OnGPUs = map[int]int{}
		for gpus := job.GPUsMin; gpus <= job.GPUsMax; gpus++ {
			s.OnGPUs[gpus] = job.RuntimeOn(gpus)
		}
	}
	return s
}

// shortens says whether the run time depends on how many GPUs the job gets.
func shortens(job workloads.Job) bool {
	return job.GPUsMax > job.GPUsMin && job.Outcome != workloads.Timeout && job.Outcome != workloads.CancelledPending
}

// fewerSeconds is the part of the script that applies AUCSCHED2 equation 5. The
// job fails if Slurm does not tell it an amount within the range: a run with a
// wrong run time must not look like one.
func fewerSeconds(job workloads.Job) string {
	if !shortens(job) {
		return ""
	}
	return fmt.Sprintf(`[[ $(scontrol -o show job "$SLURM_JOB_ID") =~ TresPerNode=gres/gpu:([0-9]+) ]] || exit 1
gpus=${BASH_REMATCH[1]}
(( gpus >= %d && gpus <= %d )) || exit 1
runtime=$(( (runtime * %d + gpus - 1) / gpus ))
`, job.GPUsMin, job.GPUsMax, job.GPUsMin)
}
