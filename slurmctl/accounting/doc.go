// Package accounting reads what Slurm tells of the past: sacct's table of the jobs that were, and
// what sdiag says of slurmctld's own work.
//
// Flow: SacctArgv is the command, whose output a run keeps as sacct.txt, unedited; ReadSacct
// turns that text into Rows. StartsArgv and ReadStarts are for one job that was requeued.
// [Table] splits the lines of tables of other clusters, with other fields, separators and texts of users; their records, with
// line breaks in them, are read by packages workloads/interchange and workloads/events. ReadSdiag reads how long
// backfill's cycles took and why each ended; a run keeps the whole text of sdiag as sdiag.txt.
//
// Invariants: a row is never skipped and no value is guessed; each fault is named
// with its line and field; times are UTC. A section or line of sdiag that is missing, there twice or
// without a whole number is an error with file and line.
package accounting
