// Package compare says which of two policies was better, by how much, and how
// sure that is.
//
// # Flow
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
// # Invariants
//
//   - Runs that are not complete are refused, and so are pairs that differ in
//     anything but the policy: machine, workload (byte by byte), clock, time
//     scale, Slurm version.
//   - One replica has no interval, and the table says so. Nothing is called
//     better without saying whether the interval excludes "no difference".
package compare
