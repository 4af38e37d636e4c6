// Package priority computes what Slurm's priority plugins give a waiting job, for
// jobs that Slurm itself gives none: one that is held for a scheduler outside
// Slurm has priority 0.
//
//	age and size of a job, machine --Weights.Of--> its priority
//	Type --Plugin, Lines--> the lines of slurm.conf
//
// priority/basic is the order of submission and needs no computation.
// priority/multifactor is a weighted sum of factors, of which only age and job
// size have a weight here: IPSCHED section VI, "job age factor weight and job
// size factor weight was taken as equal, and for each minute a job spends in the
// queue, its priority was increased by one. In this work, no fair share policy and
// QoS was used". A second set of weights orders by size relative to the time limit;
// no agent schedules under it.
//
// Invariants: the operations and their order are those of set_priority_factors
// and _get_priority_internal in src/plugins/priority/multifactor of Slurm
// 24.11.5, so that the whole numbers are Slurm's; weights here and in slurm.conf
// are the same by construction. The package is pure.
package priority
