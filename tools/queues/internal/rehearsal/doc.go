// Package rehearsal plays a workload through a scheduler in memory. It compares policies, objectives and parameters
// in seconds and over many seeds before a claim is made on the real Slurm. tools/queues plays real queues with it.
// Its own tests check the claims of docs/design/006 and 009 in small, and its benchmarks report figures of
// docs/records/006-real-queues and 009.
//
//	jobs --arrive--> queue --Scheduler--> starts --end of run time--> free
//
// The policies are the agent's auction ([Auction]) and a model of Slurm's own
// scheduler ([Backfill]) with the parameters of [Settings] and an [Order] of the queue.
//
// The package is pure: no clock, no I/O, which its wall keeps in the benchmark. It leaves out
// the time that a real scheduler needs: decisions and starts take none. There is a decision
// whenever a job has arrived or ended, unless the policy waits for its next cycle. How near
// that comes to the real Slurm is in docs/records/006-real-queues.
//
// Invariants: no node is oversold, and every job starts once and not before its arrival. A policy sees when the time
// limit of a running job ends and not when the job will end. A job that can never start is an error.
package rehearsal
