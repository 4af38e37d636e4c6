// Package bidding makes the bids of jobs: on which nodes, and with how many cores on
// each, a waiting job could start now.
//
//	Job --choices--> exact requests --shaper--> shapes  (how many nodes, how many cores on each)
//	nodes, shape --finder--> spots                      (which nodes)
//	shape, spot --machine.Place--> Bid                (the cores that Slurm gives there)
//
// A [Generator] does this for all jobs of a window of our own auction: it makes bids as in AUCSCHED sections
// 4 and 5. Package auction makes the papers' own (PaperBids). For example, a job of 16 cores on two nodes has the
// shape of 8 cores on each. On 4 idle nodes of 8 cores it bids for the first two and for the last two.
//
// # What a bid is
//
// A bid names its nodes and T_in, the cores that it takes on each. Slurm does not let a scheduler choose T_in freely:
// given the node list it applies a rule of its own, which is [machine.Place]. Hence bids are built from that rule. A
// bid carries the words ([machine.Request]) with which Slurm must be asked to make the rule give T_in. Between the
// snapshot and the start a running job may end, and the free cores of a node grow. So bids of class A, B and C are
// generated only where the rule still gives the same T_in then ([machine.Stable]).
//
// # What a job may ask for
//
// A [Job] has the options of AUCSCHED Table 1, a range of GPUs per node as in AUCSCHED2, and [JobOptions]. These are
// partition, features, required and excluded nodes, nodes that reservations of Slurm keep, exclusive nodes, memory,
// switches and licences. Options that speak of nodes restrict where bids lie, before nodesets are found. Memory and
// licences are constraints of the auction's program.
//
// # Trees of switches
//
// Where nodes have switches above them (Slurm's topology/tree), a job also bids for nodes below the lowest switches
// that have room for it. These bids come first, and fewer switches are preferred: machine.Node.Switches. The papers
// leave this as future work.
//
// # Three departures from the papers
//
//   - Jobs that ask for cores alone (type 1) bid at several densities, not only
//     on "as few nodes as possible": the solution of IPSCHED Table I needs J1 at
//     4 of 8 cores on every node.
//   - With [BidOptions].FewestNodes bids on few nodes are preferred to all others, and jobs of type 1 bid near
//     their fewest (fewest.go). The papers prefer classes first.
//   - Class R bids take what the other jobs leave: the solution of AUCSCHED
//     figure 4 gives J1 five cores on some nodes and three on others.
//
// # Invariants
//
// The package is pure: equal nodes, jobs and options have equal bids. Every bid fits
// the nodes that it was made for, and its T_in is what the placement rule gives
// there. Slices inside bids are shared between bids and must not be written to.
package bidding
