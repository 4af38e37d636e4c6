// Package backfill is a model of Slurm's two passes over its queue. It computes which of the waiting jobs start now,
// and when the others would if the running ones used their whole time limits.
//
//	State{free nodes, running jobs with their limits, queue}
//	   --InOrder--> starts up to the first job that does not fit   (sched/builtin, sched/backfill)
//	   --Plan-----> a start for each job, now or later             (sched/backfill)
//
// InOrder is schedule of src/slurmctld/job_scheduler.c, Plan is _attempt_backfill of
// src/plugins/sched/backfill/backfill.c of Slurm 24.11. Plan looks at jobs in the order of the queue. Each gets, for
// its whole limit, the earliest start that the limits of the running jobs and the reservations made before it allow.
// It starts if that is now; else it gets a reservation of whole nodes, rounded to bf_resolution. With reservations
// for all jobs this is conservative backfilling, with one it is EASY.
//
// The model does not know when memory and licences become free: it takes what is
// free of them now for what is free at any time. It knows neither Slurm's topology
// nor the weights that an administrator may give nodes. How near whole runs come to the
// real Slurm is in docs/records/006-real-queues; rehearsal.Backfill plays them.
//
// The package is pure. Nothing in a State is changed.
package backfill
