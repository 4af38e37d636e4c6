package emulator

import (
	"fmt"

	"github.com/slurmlab/slurmlab/containers/slurm/payload"
	"github.com/slurmlab/slurmlab/workloads"
)

// script is the script of a sleep job that ends its run time, in virtual
// seconds, after Slurm's start time of the job. It counts from that start time,
// and not from its own first instruction, so that the time slurmd takes to
// launch it, which on one machine with a fast clock grows with the number of
// jobs, is no part of the run time.
//
// A job with a range of GPUs reads from Slurm how many it got per node, which in
// front-end mode no variable of its environment tells, and shortens its run time
// as workloads.Job.RuntimeOn does. Every other job uses builtins of bash only up
// to the sleep: no fork costs time.
func script(job workloads.Job) string {
	return fmt.Sprintf(`#!/bin/bash
%s
runtime=%d
%send=$(( (SLURM_JOB_START_TIME + runtime) * 1000000 ))
left=$(( end - ${EPOCHREALTIME/./} ))
if (( left > 0 )); then
	printf -v fraction %%06d $((left %% 1000000))
	exec sleep "$((left / 1000000)).$fraction"
fi
`, seconds(job).Line(), job.Runtime, fewerSeconds(job))
}

// seconds is how long the job takes, for a cluster whose nodes do not run scripts.
func seconds(job workloads.Job) payload.Seconds {
	s := payload.Seconds{Fixed: job.Runtime}
	if job.GPUsMax > job.GPUsMin {
		s.OnGPUs = map[int]int{}
		for gpus := job.GPUsMin; gpus <= job.GPUsMax; gpus++ {
			s.OnGPUs[gpus] = job.RuntimeOn(gpus)
		}
	}
	return s
}

// fewerSeconds is the part of the script that applies AUCSCHED2 equation 5. The
// job fails if Slurm does not tell it an amount within the range: a run with a
// wrong run time must not look like one.
func fewerSeconds(job workloads.Job) string {
	if job.GPUsMax <= job.GPUsMin {
		return ""
	}
	return fmt.Sprintf(`[[ $(scontrol -o show job "$SLURM_JOB_ID") =~ TresPerNode=gres/gpu:([0-9]+) ]] || exit 1
gpus=${BASH_REMATCH[1]}
(( gpus >= %d && gpus <= %d )) || exit 1
runtime=$(( (runtime * %d + gpus - 1) / gpus ))
`, job.GPUsMin, job.GPUsMax, job.GPUsMin)
}
