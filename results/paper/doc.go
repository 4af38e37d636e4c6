// Package paper has the figures that papers published and puts ours beside them.
//
// # Flow
//
//	ipsched.csv, aucsched.csv,
//	aucsched2.csv (embedded) ---Paper.Rows--> []PublishedRow -+
//	                                                          +--Compare--> []Figure --Table-->
//	complete runs --Paper.Asked--> []metric.Result -----------+
//
// Before there are runs, [Plan] lists those that rows need, from each row's
// [PublishedRow.Experiments].
//
// A [PublishedRow] is a row of a published table: a workload on a machine under one
// method, and so an experiment that can be run here. Runs belong to it when the
// machine, workload and priority are the same and one of the row's patterns has
// the policy. The file of figures says which workload, priority and policies of
// ours those are. A row is shown once for each policy that ran,
// because runs of two policies have no common mean.
//
// Published figures stand apart from package compare, which programs of other people use: no
// comparison of runs depends on what a paper says.
//
// # Invariants
//
//   - Published figures are copied with their digits and never changed.
//   - Our figures are means over replicas with the 95 % confidence interval of the
//     difference to the published value, which is taken as exact: papers give no
//     uncertainty of their means. One replica has no interval, and replicas
//     differ in the seed alone.
//   - The difference to Slurm's own scheduler is that within each seed which both
//     ran; the two runs of a pair differ in the policy alone.
//   - Runs with another theoretical runtime than the published one, as those of a
//     rehearsal with a short estimated runtime, do not compare, and [Remarks] say so.
//   - A row that was not run is shown with unknown figures of ours, never left out.
//   - A run that belongs to no row of the paper is an error, one of a row that was not asked for is left out
//     and named ([Paper.Asked]). A policy is known by its name:
//     settings that a flag changed must be the same in all replicas, but only the
//     priority must be the row's.
//   - Deviations over jobs stand beside each other and are not compared: a paper has no
//     uncertainty of them.
package paper
