// Package paper compares runs with the figures that papers published.
//
//	ipsched.csv, aucsched.csv,
//	aucsched2.csv (embedded) ---Paper.Rows--> []Row ----+
//	                                                    +--Compare--> []Figure --Table--> table.Table
//	complete runs --Paper.Asked--> []metric.Result -----+
//
// Before there are runs, [Plan] lists those that rows need, from each row's
// [Row.Experiments].
//
// A [Row] is a row of a published table: a workload on a machine under one
// method, and so an experiment that can be run here. Runs belong to it when the
// machine, workload and priority are the same and one of the row's patterns has
// the policy. The file of figures says which workload, priority and policies of
// ours those are. A row is shown once for each policy that ran,
// because runs of two policies have no common mean.
//
// Invariants:
//   - Published figures are copied with their digits and never changed.
//   - Our figures are means over replicas with the 95 % confidence interval of the difference to the published value.
//     That value has an error, which [Rule] names. One replica has no interval, and replicas
//     differ in the seed alone.
//   - The difference to Slurm's own scheduler is that within each seed which both
//     ran; the two runs of a pair differ in the policy alone.
//   - Verdicts are those of package compare.
//   - Runs with another theoretical runtime than the published one, as in a
//     rehearsal with a short theoretical runtime, do not compare, and [Remarks] say so.
//   - A row that was not run is shown with unknown figures of ours, never left out.
//   - A run that belongs to no row of the paper is an error, one of a row that was not asked for is left out
//     and named ([Paper.Asked]). A policy is known by its name:
//     settings that a flag changed must be the same in all replicas, but only the
//     priority must be the row's.
//   - Deviations over jobs stand beside each other and are not compared: a paper has no
//     uncertainty of them.
package paper
