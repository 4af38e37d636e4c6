// Package decision lets the papers' first two programs schedule: IPSCHED, and
// AUCSCHED with its variables u and r. The third, AUCSCHED2, is package auction
// itself.
//
//	Snapshot --formulation--> Program --Solve--> values --Decode--> allocations
//	         --realise--> bids that Slurm can be asked for, in release order
//
// The result is an auction.Result, so that the agent releases and records all
// policies alike. Its Problem and Bids are empty: the program is another one, see
// [Policy.Program].
//
// # What the papers leave open
//
//   - IPSCHED starts nothing when the solution takes too long: "If the time limit
//     is exceeded, in that scheduling interval, none of the jobs are started"
//     (section IV). AUCSCHED starts the best that is known.
//   - A job whose allocation Slurm cannot be asked for is deferred. What it would
//     have taken is offered to the others in a second program, and so on, while
//     there is time; the paper's plug-ins could give Slurm any layout.
//   - A job that asks for one block gets one by package realise under IPSCHED,
//     whose program does not know of it.
//   - GPU ranges and alternatives are AUCSCHED2's and ours. A job with a range
//     gets the least here, one with alternatives its first request.
//
// # Invariants
//
// No I/O and no clock of its own. Equal snapshots have equal decisions as far as
// the solver has equal answers.
package decision
