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
// Under a steady stream of small jobs, an objective by value or one of the papers' may pass a wide job over without
// end. A [Guard] says which jobs are overdue, and the first of these has a [Reservation], which bounds its wait.
// Without an overdue job the objectives by value may give the reservation to the job with the strongest claim.
//
// An exclusive job has no bid where each node is used in part, and small jobs fill what becomes free, so that it would
// wait for its turn with the guard. Such jobs have reservations of whole nodes from the start ([Result.Whole]).
//
// # Two departures from the papers
//
//   - Priorities of priority/basic differ by so little relative to their size that a
//     solver's tolerances swallow the difference. A [Reading] says which smaller
//     numbers take their place: with the same order of sums, or ranks.
//     Those of priority/multifactor stay as they are ([Snapshot.Priorities]).
//   - What is maximised is a choice ([Objective]): the papers' sum of priorities,
//     or a value of what the jobs take, by a [Rule] that counts, where time limits are
//     far apart, also how long they have waited.
//
// # The papers' bids
//
// [PaperBids] makes the bids of AUCSCHED sections 4 and 5, sentence by sentence, for the policies
// that are named after AUCSCHED and AUCSCHED2. Package bidding makes those of our own auction.
//
//	nodes --nodesets with g GPUs--> row of nodes, nodeset after nodeset
//	row, type of job --classes A, B, C--> candidates --best first, classes in turn--> bids
//	nodes --backfill.Place, job after job--> SLURM bids
//
// For example, consider a job of 20 cores on nodes with 3, 8, 8, 8 and 5 free cores. It bids for the first four nodes
// (19 are too few for it on the first three), for the last three, and for three in the middle. The bids of package
// bidding need equal numbers of free cores.
//
// Of AUCSCHED's program only the nodes of a bid and the sum of its cores matter: the solver
// lays the cores out (u and r). AUCSCHED2's has the cores on each node as an input, T_in,
// "determined during bid generation phase", and does not say how. Here T_in is what Slurm's
// placement rule gives on the snapshot: each node gives a core, then one after the other
// gives all it has. The published plug-in AUCSCHED3 does the same. A layout that follows the free
// cores changes when a running job ends before the start. That is no concern of a bid: how
// Slurm is asked for the winners is decided later (papers.Arrange).
//
// What the papers leave open:
//
//   - Which bids a limit keeps. Classes A, B and C take turns, so that 5 bids are of all
//     classes; within a class the largest preference goes first, then the nodes that the
//     fewest bids so far ask for (as in the published plug-in), then the first nodes.
//   - Class C of type 1. "The nodeset is combined with their neighbours to create
//     non-contiguous nodesets with higher number of cores": bids take as few nodes as
//     possible from the beginning or to the end of a combination, as in class A, or all
//     nodes of it. The winning bid of J_1 in section 5 is of the second kind.
//   - Nodesets of type 3. "Each node in the nodeset is checked if there are R_j^cpn cores
//     available on that node": nodes that lack them divide nodesets.
//
// Jobs that name nodes (--nodelist), want them whole (--exclusive) or below few switches
// (--switches) are in no paper. They bid as in package bidding. Options that only rule
// nodes out (partition, features, --exclude, memory) divide nodesets.
//
// # Invariants
//
// Equal nodes, jobs and options have equal bids. Every bid fits the nodes that it was made for. The
// papers' bids of a job for one choice lie on distinct sets of nodes.
//
// No node is oversold in cores, GPUs or memory, nor are licences. No job wins twice. Every layout in [Result.Ordered]
// is Slurm's placement rule applied in that order to the snapshot.
package auction
