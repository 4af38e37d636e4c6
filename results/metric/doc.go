// Package metric computes the metrics of a run from its rows. It is pure: no
// files, no clock, no Slurm. The same rows give the same numbers.
//
// # Flow
//
// [Compute] takes run.json, the joined jobs, the agent's cycles and sdiag, and gives [Metrics]. [Write] and [Read]
// turn these into metrics.json and back. [NewSeries] and [ECDF] give the step functions that plots draw and
// [WriteSeries] writes to series.csv, [Records] the rows of jobs.csv.
//
// # Definitions
//
// [Measures] is the one table of all metrics: names, units, definitions, sources
// and how to find each in [Metrics]. Tables, comparisons, reports and
// docs/metrics.md are made from it, and a test finds every number of
// metrics.json in it. A [Group] has the metrics of jobs once more for the jobs of
// one type, of one class of sizes, with or without GPUs, contiguous or not.
//
// AUCSCHED is "An Auction Based SLURM Scheduler for Heterogeneous Supercomputers and its Comparative Performance
// Study" (section 6.2). AUCSCHED2 is its successor with GPU ranges (section 4). IPSCHED is "Integer Programming Based
// Heterogeneous CPU-GPU Cluster Scheduler for SLURM Resource Manager" (section VI).
//
// The execution of a job is its end - start as Slurm accounts it. The run time of
// a job is the workload's; for a job with a range of GPUs it is the run time on
// the GPUs that the job got (AUCSCHED2 equation 5). Seconds are virtual except in
// cycle_s and real_s. Ratios are fractions of 1, except speed.
//
// cycle_s is real time under every clock, so it shows what the scheduler costs and not how the clock charged it. The
// agent measures its passes in real time. slurmctld measures its backfill passes in virtual time. The time scale
// (scaled clock) or the CPU speed factor (jump clock) turns that back into real time. The keys clock, time_scale and
// think_scale distinguish numbers of different clocks.
//
// Means and standard deviations are over the jobs that started. The standard deviation is the population's (divided
// by n), because there are no other jobs than the run's. The theoretical runtime counts every job of the workload,
// so it is the same under every policy. With GPU ranges the theoretical runtime counts the run times on the least
// numbers of GPUs, so that a run can end before it. The lower bound counts the run times on the largest numbers. A
// mean over no job is 0.
//
// Slurm's accounting has the cores of a job, but not how many on each node. Where
// that matters (FGD) the cores are spread evenly, see [EvenShare].
//
// # Invariants
//
//   - A run that is not complete, or whose rows are not all there, has no
//     metrics: it is an error.
//   - Time intervals are half-open: a job that ends at t and one that starts at
//     t on the same cores do not overlap. Rows that use more cores or GPUs than
//     the machine has at any time are an error, so no utilisation exceeds 1.
package metric
