// Package journal records what an auction decided on, and plays it again.
//
//	agent --Entry--> Writer --snapshots.jsonl.gz--> Reader --Entry--> Replay --> auction.Result
//
// An [Entry] is the snapshot, the options of the auction, the selections of the
// solver, and what the agent knew of the running jobs. Package auction is a pure
// function of the first three, so [Replay] makes the bids, the program and the
// decision again, without a solver and without having stored any bid.
//
// # The file
//
// There is one line of JSON for each cycle that had a window, each a gzip member of its own. So zcat reads the file,
// and what a killed writer leaves can be read up to its last whole line. A line has what is new since the line
// before. Nodes are described once. What they have free is one entry for each run of equal neighbours, as [12,8,2,0]
// for 12 nodes with 8 cores, 2 GPUs and no memory free on each. A job's request, and what a running job holds, are in
// the line in which they are first seen or differ.
//
// # Recordings
//
// The tests decide the cycles of recorded runs again: a change that is not meant to change
// decisions must not.
//
//	run directory --tools/recordings--> testdata/RUN: run.json, snapshots.jsonl.gz, cycles.jsonl.gz
//	testdata/RUN --Read--> Entry --Replay, or a paper's policy with HiGHS-->
//	       releases --compared with--> releases of the line in cycles.jsonl.gz
//
// The auction is replayed with the selections of the solver that were recorded and needs no solver (go test). The
// policies of IPSCHED and AUCSCHED solve their programs again. So only a build with HiGHS (build tag highs) replays
// their recordings, and only the cycles that HiGHS had solved to optimality.
//
// The recordings were made by the revision of slurmlab that their run.json names,
// which also shows that journals of that revision can still be read. Released
// versions write no journal for the policies of IPSCHED and AUCSCHED; theirs were
// made by that revision with a journal for every policy.
//
// A recording is replaced only if a decision changes on purpose, and the commit that does so says why.
//
// # Invariants
//
//   - A cycle that was written is read back equal, whatever fields the types of
//     package auction have.
//   - A file that an earlier version wrote can be read, and its cycles decide as
//     they did.
//   - Cycles that were read share slices with each other: nobody may write to these.
package journal
