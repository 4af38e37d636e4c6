// Package interchange turns other people's traces into workloads and workloads
// into other people's formats.
//
// # Flow
//
//	SWF, sacct, Helios, Philly, Batsim, tables --reader--> request --Rescale--> workloads.Job --> rows of workload.csv
//	                                                                          \-> Summary: what was done to the trace
//	[]workloads.Job --ExportSWF, ExportBatsim--> file
//	sacct and others --Holdings--> what jobs held, for package infer
//
// [Import] reads a trace twice, and a dump with requeued jobs two times more: first to find its first submission, to which all
// arrivals refer, and whether it has users, then to convert it. Therefore it must be
// possible to open its records.Source again. What the trace was, what was left out, skipped, adjusted
// and rescaled is in the [Summary], whose Origin are the comments at the top of
// a workload file.
//
// # The formats
//
//   - swf: the Standard Workload Format 2.2 of the Parallel Workloads Archive;
//     a job's processors are cores, it has no nodes and no GPUs. In the extended format of 21 fields it has both
//   - sacct: a table of "sacct -X -P" with the fields of [SacctFields] and any separator, or "sacct --json"
//   - helios: cluster_log.csv of SenseTime's Helios traces (Hu et al., SC '21)
//   - philly: the trace of Microsoft's Philly (Jeon et al., ATC '19) as ElasticFlow's
//     repository has it; a job is a number of GPUs on nodes of 8, with a core for each
//   - philly-json: cluster_job_log of the same trace, with the attempts of each job
//   - csv, and the formats of [Tables]: text or Parquet with a job a row, whose columns a [Table] gives a meaning
//   - batsim: Batsim's JSON workloads with delay profiles; a resource is a core
//     or a node, as [ImportOptions] says
//
// A trace may be compressed with gzip, whatever its name; lines may end in CR LF.
//
// # Invariants
//
//   - Memory does not grow with the number of jobs, but for a bitmap of the ids
//     seen, the names of the users and of arrays, the runs of requeued jobs, and the jobs of a state that is kept
//     (Batsim: also its profiles, jobs on which others may depend, and ids that are no numbers; Parquet: the file).
//   - A record is either imported, left out for a reason that is counted (it
//     never ran, its processors are unknown, its partition is gone, it lies outside the time window), or bad. A bad one is an
//     error with file, line, field and what is allowed; with Options.SkipBad it
//     is counted instead.
//   - Every row is a job that is valid on the machine of the Options.
//   - Two users of the trace never become one. A name that a Slurm account can
//     have is kept; another name becomes one that depends on nothing else.
//   - A trace is rescaled only as the Options ask for. A time limit, which a job
//     must have and some traces do not tell, is made up, and such jobs are counted;
//     limits are whole minutes, so that a run accepts every row.
//   - How a job ended becomes its outcome. A job that was cancelled before it started is
//     one if it is known what it asked for and for how long it waited.
//   - What the trace says of a written job and a workload cannot say (memory,
//     partitions, ends that are no outcome) is counted.
//
// The package opens no file itself.
package interchange
