// Package explain says why a job of a run waited.
//
//	workload, sacct, cycles.jsonl --+
//	                                +--Explain--> Explanation --WriteText--> terminal
//	snapshots.jsonl.gz --journal----+                  |--json--> programs
//
// For each cycle in which the job waited, package journal plays the auction again:
// same snapshot, same bids. The winners are the recorded ones, so nothing is
// solved. What a bid lacked is counted on the nodes that the winners leave, and
// who took it is read from the winners' bids. Prices are multipliers of the
// relaxed program (packing.NewPrices), computed for the cycle that is shown in
// full. What backfill would have done is package backfill's model of it.
//
// # Invariants
//
//   - Every reason is arithmetic on the snapshot: what a bid lacks is what it
//     wants less what the winners leave, and what the winners leave is what was
//     free less what the named jobs took. Where nodes are kept for a job,
//     what was free is what that job will leave of them.
//   - A cycle whose replay differs from cycles.jsonl in the number of bids or of
//     terms is an error: a wrong explanation is worse than none.
//   - Without a journal (a run under Slurm's own backfill) there is the model at
//     the job's submission, and nothing else is claimed; under fifo there is only
//     its rule. On a machine with groups of nodes there is neither, and the schedule
//     that sacct has says what was not free (fromSchedule). Runs of a policy with an agent that holds no auction, such as
//     ipsched, have no journal either and cannot be explained.
//
// The package is pure; files are read by the caller.
package explain
