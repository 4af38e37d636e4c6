// Package auctiontest makes the auctions with which solvers are measured.
//
//	Window --fill, churn, drop to the utilisation--> auction.Snapshot
//	       --auction.Generate, auction.Formulate--> auction.Problem
//
// The state of the machine is what a long run leaves: jobs of the window's own
// kind, in pieces. Equal windows are equal snapshots. No program imports it.
package auctiontest
