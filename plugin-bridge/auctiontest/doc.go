// Package auctiontest makes the auctions with which solvers are measured.
//
//	Window --fill, churn, drop to the utilisation--> auction.Snapshot
//	       --bidding.Generator, auction.Formulate--> auction.Problem
//	States (of real runs, by the command record) --> auction.Snapshot
//	       --auction.Auction, greedily--> auction.Problem
//
// A Window fills the machine with jobs of its own kind and lets them end and come
// for a long time, so that what is free lies in many small pieces. Such auctions are
// harder than those of the recorded states of real runs, where a scheduler has
// filled the machine. Equal windows make equal snapshots.
//
// [Exhaustive] and [Greedy] are solvers of tests. No program imports this package but
// the command record.
package auctiontest
