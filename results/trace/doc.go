// Package trace holds what a run leaves behind: the row types, the run
// directory, and the readers and writers of its files. It knows formats and
// nothing else: no metric, no Slurm command, no picture. The job, the machine
// and workload.csv are those of package workloads.
//
// # Flow
//
//	workload.csv -workloads.ReadCSV-> []workloads.Job --+
//	                                                    +--Join--> []Job
//	sacct.txt ----ReadSacct---------> []SacctRow -------+
//	cycles.jsonl -ReadCycles--------> []Cycle
//	sdiag.txt ----ReadSdiag---------> Sdiag
//	run.json -----DecodeRun---------> Run
//
// snapshots.jsonl.gz is written and read by package journal.
// [Dir] names the files of a run directory and reads and writes run.json;
// [Dir.Load] reads all of a complete run. jobs.csv is written for other
// people's tools by [WriteJobsCSV]; it holds every field of a [Job], so
// [ReadJobsCSV] gives the same jobs back. [WriteBatsimJobs] writes Batsim's
// columns of it alone.
//
// # Units and values that mean "nothing"
//
// Seconds are virtual unless a name or a comment says otherwise. [Job] times
// count from the first submission of the run. GPUs of a workload row are per node, AllocGPUs
// are over all nodes. In a workloads.Job zero means "not asked for". A job that
// ended before it started (cancelled in the queue) has no allocated nodes and
// Start = [NeverStarted] (-1). In jobs.csv -1 means "unknown or undefined", as
// in Batsim.
//
// # Invariants
//
//   - A bad line is an error that names file, line and field; readers skip
//     nothing. Up to 20 faults of a file are listed at once.
//   - Each job of the workload appears exactly once in []Job, in the order of
//     the workload, in a state that Slurm calls finished.
//   - A run.json says by which clock its times were kept: the scale of time is 1
//     but under a scaled clock, the scale of thinking 1 but under a jump clock,
//     and [Fidelity] counts jumps under a jump clock and only there.
//   - Node indices are 0-based (n1 has index 0), ascending and distinct.
//   - run.json, and whatever else is written by [WriteAtomic], is either the old
//     file or the whole new one.
package trace
