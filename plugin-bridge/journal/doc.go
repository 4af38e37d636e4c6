// Package journal keeps what an auction decided on, and plays it again.
//
//	agent --Cycle--> Writer --snapshots.jsonl.gz--> Reader --Cycle--> Replay --> auction.Result
//
// A [Cycle] is the snapshot, the options of the auction, the selections of the
// solver, and what the agent knew of the running jobs. Package auction is a pure
// function of the first three, so [Replay] makes the bids, the program and the
// decision again, without a solver and without having stored any bid.
//
// # The file
//
// One line of JSON for each cycle that had a window, each a gzip member of its
// own: zcat reads the file, and what a killed writer leaves can be read up to its
// last whole line. A line has what is new since the line before: nodes are
// described once and their free cores, GPUs and memory are coded by runs of equal
// neighbours; a job's request, and the place of a running job, are in the line in
// which they are first seen or differ.
//
// # Invariants
//
//   - A cycle that was written is read back equal, whatever fields the types of
//     package auction have.
//   - A Cycle belongs to whoever reads it; slices are shared between cycles and
//     must not be written to.
package journal
