// Package backfill is a model of Slurm's sched/backfill: when each waiting job
// would start if the running ones used their whole time limits.
//
//	State{free nodes, running jobs with their limits, queue} --Plan--> []Start
//
// As backfill.c of Slurm 24.11 has it, jobs are looked at in the order of their
// priority. Each gets the earliest time at which it fits beside the running jobs
// and the reservations made before it, for its whole limit; at that time it is
// started, if it is now, and else given a reservation of whole nodes, rounded
// outwards to the resolution. With reservations for all jobs this is conservative
// backfilling, with one it is EASY.
//
// What the model does not know: which of several equally good nodes Slurm picks
// (here: the shortest block of neighbours that suffices, else the longest blocks
// first), and when memory and licences become free (here: as they are now, all the
// time). So its times are right where the choice of nodes does not matter, and
// estimates elsewhere.
//
// The package is pure.
package backfill
