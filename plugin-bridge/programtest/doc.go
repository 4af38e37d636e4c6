// Package programtest checks what packages program and solver do with programs. No
// product imports it.
//
//   - [Exhaustive] is a solver of our own, independent of every other. It serves
//     programs of any form with few variables; that of package auctiontest serves
//     auctions, on which it is some thousand times faster, since it knows that each
//     job wins at most once.
//   - [WriteMPS] writes files for the reader of package program and for other solvers.
//     HiGHS's writer does not serve here: version 1.10 writes ten digits of a number.
package programtest
