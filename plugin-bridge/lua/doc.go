// Package lua is the Slurm side of the bridge between slurmctld and the
// external scheduler: a script for Slurm's job_submit/lua plugin.
//
// In a run whose policy is ours the script holds each job as it is submitted
// (priority 0), so Slurm's own scheduler never considers it, and refuses the
// changes by which a job's owner could slip past the scheduler. In any other
// run the script lets every job pass, and changes nothing but ranges of GPUs; the
// plugin is loaded in every run, so that configurations differ in one line.
//
// In every run it turns a range of GPUs, --gres=gpu:1-3, into its least number,
// which Slurm understands. A held job's request, with the range and whatever else
// a release overwrites, goes into the admin comment as words KEY=VALUE, which
// package agent reads. A held job with alternatives ("slurmlab alt:" in its
// comment) loses its GPUs until its release, because Slurm can give a job GPUs
// and not take them away.
//
// A request that the agent would have to change is refused with the reason: a
// range of nodes such as -N 2-4, GPUs other than by node, and all else that the
// function refusal in the script lists.
//
// Invariants: what a user asked for is scheduled as it was asked for, or refused;
// only root and SlurmUser change priority, begin time, node lists, partition or alternatives of a
// held job.
package lua
