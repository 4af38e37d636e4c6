// Package priority computes what Slurm's priority plugins give a waiting job, for
// jobs that Slurm itself gives none: one that is held for a scheduler outside
// Slurm has priority 0.
//
//	age and size of a job, machine --Weights.Of--> its priority
//	Type --Plugin, Lines--> the lines of slurm.conf
//
// priority/basic is the order of submission and needs no computation. priority/multifactor is a weighted sum of
// factors, of which only age and job size have a weight here. IPSCHED section VI: "job age factor weight and job size
// factor weight was taken as equal, and for each minute a job spends in the queue, its priority was increased by one.
// In this work, no fair share policy and QoS was used". A second set of weights orders by size relative to the time
// limit; no agent schedules under it.
//
// # Fair share
//
// A [Ledger] computes how far each account is from its share of the machine, as classic fair share of
// priority/multifactor does.
//
//	cores of each account's running jobs --Advance--> Ledger --Factor(shares)--> factor of an account
//	jobs in queue order --Order--> the order in which fair share lets them take part
//
// Usage is counted in core-seconds that decay with a half-life, Slurm's
// PriorityDecayHalfLife. The factor is 2^(-usage/share): 1 without usage, 1/2 for an account
// that used exactly its share.
//
// Shares are read from Slurm, usage is counted here. Slurm counts usage only under priority/multifactor, while the
// auction relies on the order in which priority/basic starts jobs. Under priority/basic, sshare shows the shares and
// the usage that the cluster began with, from which the ledger goes on.
//
// # Invariants
//
// The operations and their order follow set_priority_factors and _get_priority_internal in
// src/plugins/priority/multifactor of Slurm 24.11.5, so the whole numbers are Slurm's. Weights here and in slurm.conf
// are the same by construction. The package is pure.
//
// A factor of fair share is in (0,1]; what is counted does not depend on how often
// Advance is called while the same jobs run.
package priority
