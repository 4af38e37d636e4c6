// Package auction decides which jobs of a window start now: the AUCSCHED2 method, an
// integer program over bids (AUCSCHED2 section 2), with bids as AUCSCHED makes them.
//
//	Snapshot --bidding.Generator--> bids --Formulate--> Problem --Solver--> Assignment
//	         --class R bids (after a solution of the rigid jobs)--^         |
//	         <--Order-- winners in the order in which Slurm must start them
//
// [Auction] runs the whole cycle. Everything here is a pure function of the
// snapshot, the options and the solver: no clock, no I/O, no goroutine, so that
// a recorded snapshot replays to the same decision.
//
// # Jobs that have waited too long
//
// An objective by value, and the papers' too, passes a wide job over for ever under
// a steady stream of small ones. A [Guard] says which jobs are overdue, and the first
// of these has a [Reservation], which bounds its wait. Without an overdue job
// the objectives by value may give the reservation to the job with the strongest claim.
//
// An exclusive job has no bid where each node is used in part, and small jobs fill what becomes free, so that it would
// wait for its turn with the guard. Such jobs have reservations of whole nodes from the start ([Result.Whole]).
//
// # Two departures from the papers
//
//   - Priorities become ranks ([Ranks]), because Slurm's own differ by so little
//     relative to their size that a solver's tolerances swallow the difference.
//     Those of priority/multifactor stay as they are ([Snapshot.Priorities]).
//   - What is maximised is a choice ([Objective]): the papers' sum of priorities,
//     or a value of what the jobs take, by a [Rule] that counts, where time limits are
//     far apart, also how long they have waited.
//
// # Invariants
//
// No node is oversold in cores, GPUs or memory, nor are licences; no job wins
// twice; and every layout in [Result.Ordered] is Slurm's placement rule applied in
// that order to the snapshot.
package auction
