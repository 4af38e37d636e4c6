// Package auctiontest makes the auctions and programs with which solvers are measured and
// checked, and has solvers of its own for that, independent of every other.
//
//	Window --fill, churn, drop to the utilisation--> auction.Snapshot
//	       --bidding.Generator, auction.Formulate--> auction.Problem
//	States (of real runs, by tools/recordings) --> auction.Snapshot
//	       --auction.Auction, greedily--> auction.Problem
//	program.Program --WriteMPS--> a file for other solvers
//
// A Window fills the machine with jobs of its own kind and lets them end and come for a long time, so that what is
// free lies in many small pieces. Such auctions are harder than auctions in the recorded states of real runs, where a
// scheduler has filled the machine. Equal windows make equal snapshots.
//
// [Exhaustive] and [Greedy] solve auctions. [ExhaustiveProgram] serves programs of any form
// with few variables; on auctions Exhaustive is some thousand times faster, since it knows that
// each job wins at most once.
//
// [WriteMPS] writes files for the reader of package program and for other solvers. HiGHS's
// writer does not serve here: version 1.10 writes ten digits of a number.
package auctiontest
