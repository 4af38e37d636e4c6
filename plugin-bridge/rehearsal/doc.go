// Package rehearsal plays a workload through a scheduler in memory, to compare
// policies, objectives and parameters in seconds and over many seeds before a
// claim is made on the real Slurm.
//
//	jobs --arrive--> queue --Policy--> starts --end of run time--> free
//
// The policies are the agent's auction ([Auction]) and a model of Slurm's own
// scheduler ([Backfill]).
//
// It is pure: no clock, no I/O. What is left out is time: a decision and a start
// take none, and there is a decision whenever a job has arrived or ended. How near
// that comes to the real Slurm is in docs/design/006.
//
// Invariants: no node is oversold, every job starts once and not before its
// arrival, no policy looks at a run time before its end, and a job that can never
// start is an error.
package rehearsal
