// Package placement is the rule by which Slurm lays the cores of a job out over the
// nodes that the job is required to use.
//
//	free cores of the nodes, Request --Place--> cores on each node
//	nodes --Sequence: Place, Take, Place, Take, ...--> what one start leaves to the next
//
// A scheduler outside Slurm can give a job a node list, but not the number of cores
// on each of these nodes: Slurm computes that itself. For example, 16 tasks on three
// nodes with 4, 12 and 12 free cores are laid out as 4, 11 and 1; with a minimum of 4
// cores per node as 4, 8 and 4. Bids are therefore built from the rule, and each says
// by which [Request] it is to be had.
//
// # Invariants
//
// The package is pure. [Place] is what the real Slurm 24.11.5 does; an integration
// test of package agent plays generated requests on a real cluster. What [Stable]
// accepts has the same layout whatever running jobs end before the start.
package placement
