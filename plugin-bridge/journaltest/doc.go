// Package journaltest holds the recordings of real runs and the tests that decide
// their cycles anew: a change that is not meant to change decisions must not.
//
//	run directory --tools/recordings--> testdata/RUN: run.json, snapshots.jsonl.gz, cycles.jsonl.gz
//	testdata/RUN --journal.Read--> cycle --journal.Replay, or a paper's policy with HiGHS-->
//	       releases --compared with--> those of the line in cycles.jsonl.gz
//
// The auction is replayed with the selections of the solver that were recorded and
// needs no solver (go test). The policies of IPSCHED and AUCSCHED solve their
// programs again, so their recordings are decided anew only by a build with HiGHS
// (build tag highs), and only in those cycles that HiGHS had solved to optimality.
//
// The recordings were made by the revision of slurmlab that their run.json names,
// which also shows that journals of that revision can still be read. Released
// versions write no journal for the policies of IPSCHED and AUCSCHED; theirs were
// made by that revision with a journal for every policy.
//
// A recording is made anew only if a decision changes on purpose, and the commit
// that does so says why.
package journaltest
