// Package profile says what jobs are like: how many there are, how large and how long they are, what load they put on a
// machine and on its parts, and who asks for most of it.
//
//	jobs, one after the other --Add--> Profile --> loads, spreads, quantiles, the smallest machine
//	                                           --Summary--> classes of jobs with their ranges
//
// Invariants:
//   - The memory of a Profile grows with the number of classes and users, not with that of jobs.
//   - The same jobs in any order give the same numbers, up to the rounding of sums.
//   - A job of several partitions counts in the first of them, so that the partitions add up to the workload.
//
// The package does no I/O.
package profile
