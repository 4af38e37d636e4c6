// Package lua is the Slurm side of the bridge between slurmctld and the
// external scheduler: a script for Slurm's job_submit/lua plugin.
//
// In a run whose policy is ours the script holds each job as it is submitted
// (priority 0), so Slurm's own scheduler never considers it, and refuses the
// changes by which a job's owner could slip past the scheduler. In any other
// run the script lets every job pass untouched; the plugin is loaded there
// too, so the two configurations differ in one line.
//
// Invariant: only root and SlurmUser change priority, begin time, node list
// or partition of a held job.
package lua
