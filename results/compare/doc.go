// Package compare says which of two policies was better, by how much, and how
// sure that is; whether two clocks can be told apart by what happens under them;
// and how repeatable runs are.
//
// # Policies
//
// Two policies ran the same workload on the same machine, once per seed.
// [Compare] pairs the runs by seed, takes the difference b - a of every metric
// within each pair, and gives their mean and the 95 % confidence interval of
// that mean (Student's t with n-1 degrees of freedom). [Comparison.Table] makes
// it a table for a terminal, CSV or Markdown.
//
// Pairing matters: the jobs of two seeds differ more than two policies do, and
// within a pair this difference cancels out. The interval assumes that the
// differences of seeds are independent and roughly normal; AUCSCHED averages
// over 7 seeds per workload (section 6.1), AUCSCHED2 over 27 runs.
//
// # Clocks
//
// One policy ran one workload several times under each of two clocks, say in
// real time and under the jump clock. Nothing pairs these runs: they differ by
// chance alone, because thinking takes real time and one late decision changes
// the rest of a schedule. [Clocks] therefore compares the two sets metric by
// metric with Welch's t test, which lets a clock have a deviation of its own,
// and corrects for the number of metrics with Holm's procedure. Starts of jobs
// are compared with the spread that the runs of one clock have among
// themselves, and by a permutation test of all jobs together.
//
// That sets are not distinguishable does not prove that clocks are equal, so
// every difference comes with its interval.
//
// [Repeat] gives the figures of one set: the variation of each metric, how many
// jobs start at the same time in all runs, and how long the order of starts
// stays the same.
//
// # Invariants
//
//   - Runs that are not complete are refused, and so are pairs that differ in
//     anything but the policy: machine, workload (byte by byte), clock and its
//     scales, Slurm version. Sets for Clocks may differ in the clock only.
//   - One replica has no interval, and the table says so. Nothing is called
//     better without saying whether the interval excludes "no difference".
//   - Same runs in any order, same numbers; also of the permutation test's
//     random dealings, up to their own small error.
package compare
