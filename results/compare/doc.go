// Package compare says which of two policies was better, by how much, and how sure that is. It says whether two
// clocks differ in what happens under them, and how repeatable runs are. It says what a run is good for as a twin of
// a recorded cluster.
//
// # Policies
//
// Two policies ran the same workload on the same machine, once per seed. [Compare] pairs the runs by seed and takes
// the difference b - a of every metric within each pair. It gives their mean and the 95 % confidence interval of that
// mean (Student's t with n-1 degrees of freedom). Where no difference is shown it gives
// the number of replicas with which one as large as the observed would probably show. [Comparison.Summary] says it in
// a sentence, [Comparison.Table] makes it a table for a terminal, CSV or Markdown.
//
// Replicas have different jobs: drawn with different seeds, or cut from different
// windows of one trace. Runs of the same jobs are repetitions: they tell the noise from
// run to run and have no interval, because the jobs are a sample of one.
//
// Pairing matters: the jobs of two seeds differ more than two policies do, and
// within a pair this difference cancels out. The interval assumes that the
// differences of seeds are independent and roughly normal; AUCSCHED averages
// over 7 seeds per workload (section 6.1), AUCSCHED2 over 27 runs.
//
// # Campaigns
//
// [Groups] compares the policies of a campaign on each workload and machine. [Comparison.Evidence] counts all metrics
// of a [Family] together. It has Student's intervals, effect sizes, Holm's correction, and whether side b
// is not worse by a margin ([Margin]). Every verdict, of papers (results/paper) and of the benchmark of queues as well, is a [Ruling] of [Tests]
// (docs/design/043-verdicts.md). [Comparison.Relative] is a difference as a ratio to the mean of side a, by which a campaign knows when
// it has seeds enough. [Fronts] says which policies are dominated by two metrics.
//
// # Scenarios
//
// [NewWhatIf] compares scenarios of a site with a base, group by group. The replicate is the day: the runs of a day under
// other arrivals ([ScenarioRun].Shake) are averaged before the interval, because they are no further days. Jobs are paired by
// their id; the parts of a job that a scenario split are one job, which waited as long as all of them. A job that never
// started waited for longer than is known: it is in every quantile as a lower bound, and the figures that it may change
// are marked. Jobs that their users cancel unless they start in time are in no wait, as in all metrics. What is left out
// is counted ([Counts]) and named ([WhatIf.Notes]).
//
// # Clocks
//
// One policy ran one workload several times under each of two clocks, say in real time and under the jump clock.
// Nothing pairs these runs: they differ by chance alone, because computing takes real time and one late decision
// changes the rest of a schedule. [Clocks] therefore compares the two sets metric by metric with Welch's t test,
// which lets a clock have a deviation of its own. It corrects for the number of metrics with Holm's procedure. Starts
// of jobs are compared with the spread that the runs of one clock have among themselves, and by a permutation test of
// all jobs together.
//
// Two sets that cannot be distinguished may still come from different clocks, so
// every difference comes with its interval.
//
// [Repeat] gives the figures of one set. These are the variation of each metric, how many jobs start at the same time
// in all runs, and how long the order of starts stays the same.
//
// # Twins
//
// [Twin] compares a run's waits with the waits that a trace recorded of the same jobs. A caller that has both makes a
// [TwinPair] of each job that started in both. [Twin] makes a [TwinRow] of all pairs, of each partition and of each
// class of sizes. [JudgeTwin] turns the row of all jobs into a [TwinVerdict], by bounds that are constants here and
// stand in docs/twin.md. Nothing is fitted or corrected, and the judgement looks at waits alone.
//
// # Invariants
//
//   - Runs that are not complete are refused, and so are runs whose settings differ
//     (trace.Settings.Differences) in more than the comparison is about: replicas
//     differ in the seed or the window, pairs in the policy, sets for Clocks in the clock. The
//     jobs of pairs and of sets are the same byte by byte. The version of slurmlab
//     may differ always.
//   - One replica has no interval, and the table says so. No verdict calls a policy
//     better unless its probability is below 5 % after Holm's correction, or on the jobs of repetitions whose noise is
//     smaller than the difference.
//   - The same runs in any order give the same numbers. Only the permutation test,
//     which deals runs at random, may differ by its own small error.
package compare
