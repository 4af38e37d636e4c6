// Package paper has the figures that papers published and puts ours beside them.
//
// # Flow
//
//	aucsched.csv (embedded) --Rows--> []Row --+
//	                                          +--Compare--> []Figure --Table-->
//	metrics of complete runs -----------------+
//
// A [Row] is a row of a published table: a workload on a machine under one
// method. Runs belong to it when machine, workload and policy are the same:
// SLURM/BF is our backfill, AUCSCHED our auction.
//
// # Invariants
//
//   - Published figures are copied with their digits and never changed.
//   - Ours are means over replicas with the 95 % confidence interval of the
//     difference to the published value, which is taken as exact: papers give no
//     uncertainty of their means. One replica has no interval.
//   - The theoretical runtime is the published utilisation x runtime. Runs with
//     another one, of another estimated runtime, do not compare.
//   - What was not run is shown as unknown, never left out.
package paper
