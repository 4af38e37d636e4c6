// Package auctiontest makes the auctions with which solvers are measured.
//
//	Window --fill, churn, drop to the utilisation--> auction.Snapshot
//	       --auction.Generate, auction.Formulate--> auction.Problem
//	States (of real runs, by the command record) --> auction.Snapshot
//	       --auction.Auction, greedily--> auction.Problem
//
// The state of a Window is what a long run leaves: jobs of the window's own
// kind, in pieces. It is harder than the states of real runs, where a scheduler
// has filled the machine. Equal windows are equal snapshots. No program imports
// it but the command record.
package auctiontest
