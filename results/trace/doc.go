// Package trace holds what a run leaves behind: the row types, the run
// directory, and the readers and writers of its files. It knows formats and
// nothing else: no metric, no picture. The job, the machine and workload.csv are
// those of package workloads, the texts of sacct and sdiag those of package
// slurmctl/accounting.
//
// # Flow
//
//	workload.csv -workloads.ReadCSV----> []workloads.Job --+
//	                                                       +--Join--> []FinishedJob
//	sacct.txt ----accounting.ReadSacct-> []accounting.Row -+
//	cycles.jsonl -ReadCycles-----------> []Cycle
//	progress.jsonl -Dir.Progress-------> []Progress, until there is a sacct.txt
//	sdiag.txt ----accounting.ReadSdiag-> accounting.Sdiag
//	run.json -----DecodeRun------------> Run
//
// Package journal writes and reads snapshots.jsonl.gz. [Dir] names the files of a run directory and reads and writes
// run.json. It reads the archive of a run ([Dir.Archive]) in the directory's place, and never writes into one.
// [Dir.Load] reads all of a complete run, and [In] has it read any fs.FS. [WriteJobsCSV] writes jobs.csv for other people's tools. It holds every
// field of a [FinishedJob]: a test reads the same jobs back. [WriteBatsimJobs] writes only its Batsim columns.
//
// What identifies an experiment is [Settings], a part of [Run]; the other fields of run.json are what came of it.
// [Settings.Differences] and [Data.Differences] say whether two runs may stand side by side. Each purpose says by
// [Free] what may differ: replicas the seed, pairs of policies the policy, pairs of backends the backend ([Sides]),
// sets of clocks the clock. For a run that is to be resumed nothing may differ.
//
// # Units and values that mean "nothing"
//
// Seconds are virtual unless a name or a comment says otherwise. [FinishedJob] times
// count from the first submission of the run. GPUs of a workload row are per
// node, AllocGPUs are over all nodes. In a workloads.Job zero means "not asked for". A job that
// ended before it started (cancelled in the queue) has no allocated nodes and
// Start = [NeverStarted] (-1). In jobs.csv -1 means "unknown or undefined", as
// in Batsim.
//
// # Invariants
//
//   - A bad line is an error that names file, line and field; readers skip
//     nothing. Up to 20 faults of a file are listed at once.
//   - Each job of the workload appears exactly once in []FinishedJob, in the order of
//     the workload, in a state that Slurm calls finished.
//   - A run.json says by which clock its times were kept. The time scale is 1
//     under every clock but the scaled one, the CPU speed factor is 1 under every clock
//     but the jump clock, and [Fidelity] counts jumps under the jump clock only.
//   - [Lateness] of the ends of jobs follows from workload.csv and sacct.txt alone, so that it is known of runs of
//     every version; nil counts of actions mean that the run does not say.
//   - Node indices are 0-based (n1 has index 0), ascending and distinct.
//   - run.json, and whatever else is written by [WriteAtomic], is either the old
//     file or the whole new one.
package trace
