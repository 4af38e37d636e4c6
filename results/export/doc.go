// Package export writes a complete run in the formats of other tools.
//
// # Flow
//
//	trace.Data --Write(format)--> file
//
// It stands apart from the other results for two reasons. Programs of other people use it (docs/go-packages.md), and
// it alone knows the formats of others and has a library for Parquet.
//
// # The formats
//
//   - batsim-jobs: the jobs.csv of Batsim, which evalys reads: 17 columns; a
//     resource is a node or a core
//   - schedule: the schedule.csv of Batsim 4, one row about the whole run; a machine of
//     Batsim is a node or a core
//   - swf: the Standard Workload Format 2.2, a processor is a core
//   - perfetto: JSON of the Trace Event Format for ui.perfetto.dev and
//     chrome://tracing: what runs on each node, queue and load, the auction's cycles
//   - parquet: Apache Parquet, a row a job with all that is known of it
//
// # Invariants
//
//   - Where a resource is a core, each job has as many as Slurm allocated, on its own
//     nodes, and no core has two jobs at a time unless Slurm's times, which are whole
//     seconds, overlap or its cores were spread unevenly.
//   - Times are virtual seconds since the first submission of the run, in
//     perfetto microseconds.
//   - Intervals are half-open: a job that starts when another one ends does not
//     overlap it.
//   - The same run gives the same bytes.
//   - A value that was not measured is -1 in the text formats and null in Parquet.
package export
