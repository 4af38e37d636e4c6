// Package machine owns the nodes of a machine as a scheduler sees them: what each of them has and has free, what a
// job holds of them, and where in the free part another job may lie. It also has the rule by which Slurm lays the
// cores of a job out over the nodes that the job is required to use.
//
// A machine is a []Node in natural name order. The index of a node in the slice is its index in the paper's "1D array
// of nodes" (AUCSCHED section 4); index 0 is n1. All other types name nodes by that index.
//
//	Allocation: nodes, cores on each, GPUs and memory per node
//	Holding:    the Allocation of one job, its licences and its end
//
//	[]Node --Take(Allocation)--> less is free, --Give(Allocation)--> more is free
//	[]Node --Nodesets(cores, gpus)--> []Nodeset --package auction--> bids
//
// For example, a job with 4 cores and a GPU on each of n1 and n2 has the
// Allocation {Nodes: [0 1], Cores: [4 4], GPUs: 1}. After Take both nodes have 4
// cores and a GPU less free, and Nodesets(nodes, 8, 0) finds no set with n1 in it
// if its 8 cores were free before.
//
// # The placement rule
//
//	free cores of the nodes, Request --Place--> cores on each node
//	nodes --Sequence: Place, Take, Place, Take, ...--> what one start leaves to the next
//
// A scheduler outside Slurm can give a job a node list, but not the number of cores on each of these nodes: Slurm
// computes that itself. For example, 16 tasks on three nodes with 4, 12 and 12 free cores are laid out as 4, 11 and
// 1. With a minimum of 4 cores per node they are laid out as 4, 8 and 4. Bids are therefore built from the rule, and
// each has the [Request] that gives it.
//
// # Invariants
//
// Free counts stay between 0 and the node's totals, whatever is taken
// and given back. Nodesets are returned in node order, do not touch each other (a
// node that does not qualify lies between any two of them), and hold every node
// that qualifies. The package is pure: no clock, no I/O, no state.
//
// [Place] is what the real Slurm 24.11.5 does; an integration test of package agent plays
// generated requests on a real cluster. What [Stable] accepts has the same layout whatever
// running jobs end before the start.
package machine
