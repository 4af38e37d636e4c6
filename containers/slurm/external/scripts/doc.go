// Package scripts runs people's batch scripts on a cluster whose Slurm starts none.
//
// The wall: when a job ends is decided by the Runner of package external, which reaches processes, users and files of jobs
// through an interface alone. A change there cannot send a signal, a change here cannot end a job.
//
// Flow: job_submit.lua keeps what sbatch sent and Slurm would lose (Submission) beside
// the script. When the job has started, that and what Slurm says of it (Details) become a
// Launch: who runs what, with which variables, where, and into which files, as sbatch(1)
// has it. Processes hands the Launch to slurmscript, one for each job, which runs the
// script as its user and leaves the status of its end in a file.
//
// Invariants:
//   - A script is run once, and never by two: slurmscript refuses a second time.
//   - Nothing is kept in memory. A later Runner finds each script by the files in
//     its directory: whether it runs, how it ended, or that this is not known.
//   - What a user wrote ends up in his own process, its arguments and its variables.
//     Files are opened by that process, never by root.
package scripts
