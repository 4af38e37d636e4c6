// Package realise turns the allocations of a program that chooses cores freely
// into bids that the real Slurm can be asked for.
//
//	[]Wish --keep--> bids in release order, deferrals
//	       --move--^ (whichever starts more, by priority)
//
// IPSCHED's program gives a job any cores on any nodes, that of AUCSCHED any
// cores on the nodes of a bid. Slurm takes cores on a list of nodes by a rule of
// its own ([auction.Place]), so a layout can be had only if some request gives it
// with the cores that are free at that moment. Many points of a program are worth
// the same, however: AUCSCHED's objective looks at bids only, IPSCHED's at jobs
// and how many nodes they get. Realise looks for an equivalent point that Slurm
// can be asked for, job by job, in this order:
//
//  1. the cores as the program has them;
//  2. other cores on the same nodes;
//  3. as many other nodes, where the program does not care which (IPSCHED);
//  4. cores that are right only while no running job ends, as class R.
//
// While it keeps to the program's nodes it leaves the others' cores to them. A
// job for which nothing is left is deferred, with the reason.
//
// # Invariants
//
// Played through in their order the bids oversell no node, and the placement rule
// gives each exactly its cores; all but those of class R whatever running jobs
// end meanwhile. A job gets the cores, nodes and GPUs of its wish in number, one
// block where it asks for that, or is deferred.
package realise
