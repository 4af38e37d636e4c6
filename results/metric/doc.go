// Package metric computes the metrics of a run from its rows. It is pure: no
// files, no clock, no Slurm. The same rows give the same numbers.
//
// # Flow
//
// [Compute] takes run.json, the joined jobs, the agent's cycles and sdiag, and
// gives [Metrics], which [Write] and [Read] turn into metrics.json and back.
// [NewSeries] and [ECDF] give the step functions that plots draw, [Records]
// the rows of jobs.csv.
//
// # Definitions
//
// AUCSCHED is "An Auction Based SLURM Scheduler for Heterogeneous
// Supercomputers and its Comparative Performance Study" (section 6.2),
// AUCSCHED2 its successor with GPU ranges (section 4), IPSCHED "Integer
// Programming Based Heterogeneous CPU-GPU Cluster Scheduler for SLURM Resource
// Manager" (section VI).
//
//	key                    unit   definition                                       source
//	theoretical_runtime_s  s      sum(run time x cores asked for) / all cores      AUCSCHED
//	lower_bound_s          s      see LowerBound                                   ours
//	runtime_s              s      last end - first submission                      AUCSCHED
//	cpu_utilization        1      theoretical runtime / runtime, at most 1         AUCSCHED
//	gpu_utilization        1      allocated GPU-seconds / (GPUs x runtime)         AUCSCHED2
//	waiting_s              s      start - submission                               AUCSCHED
//	turnaround_s           s      end - submission                                 AUCSCHED
//	slowdown               1      turnaround / execution                           AUCSCHED
//	bounded_slowdown       1      max(1, turnaround / max(execution, 10 s))        Feitelson
//	fragmentation          blocks contiguous blocks of nodes of a job              AUCSCHED
//	spread                 1      (last index - first index + 1) / nodes           AUCSCHED
//	packing                1      nodes / fewest nodes possible                    IPSCHED
//	cycle_s                real s time one pass of the scheduler thinks            ours
//	placement              jobs   started jobs checked, and placed as planned      ours
//	elapsed_error_s        s      |execution - run time| of completed jobs: mean,  ours
//	                              maximum, how many 0 s and at most 1 s
//	arrival_lag_max_s      s      largest submission - arrival, from run.json      ours
//	real_s                 real s first submission to last end, from run.json      ours
//	speed                  1      runtime / real_s                                 ours
//
// Execution is end - start as Slurm accounts it, run time is what the workload
// says; for a job with a range of GPUs, what it says for those that the job got
// (AUCSCHED2 equation 5). Seconds are virtual except in cycle_s and real_s.
// Ratios are fractions of 1, but speed.
//
// cycle_s is real time under every clock, so that it tells what the scheduler
// costs and not how it was charged. The agent measures its passes in real time;
// of slurmctld's own, virtual time is turned back into real time with the
// time scale (scaled clock) or the think scale (jump clock). clock, time_scale
// and think_scale are there to tell numbers of different clocks apart.
//
// Means and standard deviations are over the jobs that started; the standard
// deviation is that of the population (divided by n), because the jobs of a run
// are all there are. Theoretical runtime counts every job of the workload, so
// that it is the same under every policy; with GPU ranges it counts the run times
// on the least numbers, and a runtime can be below it, while the lower bound
// counts those on the most. A mean over no job is 0.
//
// # Invariants
//
//   - A run that is not complete, or whose rows are not all there, has no
//     metrics: it is an error.
//   - Time intervals are half-open: a job that ends at t and one that starts at
//     t on the same cores do not overlap. Rows that use more cores or GPUs than
//     the machine has at any time are an error, so no utilisation exceeds 1.
package metric
