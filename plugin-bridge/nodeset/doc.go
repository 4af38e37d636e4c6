// Package nodeset owns the node as the auction sees it and finds the places
// where a bid may lie.
//
// A snapshot of the machine is a []Node in natural name order, so that the
// position of a node in the slice is its place in the paper's "1D array of
// nodes" (AUCSCHED section 4); index 0 is n1. [Sets] scans that array once and
// returns the nodesets: the longest contiguous blocks in which every node
// still has the cores and GPUs that a bid would take from it.
//
//	[]Node --Sets(minCores, gpus)--> []Set --package auction--> bids
//
// Invariants: sets are returned in node order, do not touch each other (a node
// that does not qualify lies between any two of them), and hold every node that
// qualifies. The package is pure: no clock, no I/O, no state.
package nodeset
