// Package slurmctl is a client of Slurm 24.11 and 26.05: it runs Slurm's commands and returns what they print as
// values. The packages below it know one text each. values has the notations that commands share, such as lists of
// nodes, sbatch the options of submissions, accounting the output of sacct and sdiag.
//
// Flow: a Client builds the argument list of sbatch, squeue, scontrol, sacct, sdiag or scancel. A Runner runs it
// (Exec, or Here for a site's users) and returns the bytes of standard output. A parser turns them into values.
// Commands that must be cheap (a release plan is three commands a job) go through a Session, one long-lived
// interactive scontrol. Callers that read the state often, or submit and cancel while virtual time is skipped, use
// package channel. It has the same methods and starts no process for each of them.
//
// Invariants:
//   - The Runner is the only seam and lies below the parsers, so tests always
//     exercise them.
//   - A line that is not understood is an error with its number; no line is
//     skipped and no value is guessed. Of a list of jobs the other jobs are read
//     all the same (Job.Unread): one user's odd job must not hide everybody's.
//   - "Slurm said no" (*RefusedError), "Slurm does not answer"
//     (ErrUnavailable) and "the command could not be run" are three different
//     errors.
//   - Times are on Slurm's clock and read as UTC: run every command with
//     TZ=UTC and without SLURM_TIME_FORMAT.
//
// What Slurm must be configured with, each found by experiment:
//   - PriorityType=priority/basic, or a JobUpdate.Nice for each job. Basic gives
//     jobs descending priorities in the order of their release, so that jobs
//     released together start in that order; under priority/multifactor they
//     start in the order of their priorities, then of their ids.
//   - AccountingStorageTRES=gres/gpu, without which scontrol show node reports
//     no allocated GPUs; ParseNodes refuses such output.
package slurmctl
