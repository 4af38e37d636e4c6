// Package packing solves auction.Problem, a binary packing program whose columns fall
// into groups of which at most one column wins: the bids of one job. It has methods of
// its own, and directs an [Engine], which is HiGHS, through the stages that need one.
//
//	Problem --Quick: local search, Lagrangean bound, branch and bound--> Assignment
//	        --Solve: the same with the Engine's bounds and branching --> Assignment
//
// [QuickSolver] is an auction.Solver that needs no worker: for tests, and for policies that are
// played in memory.
//
// The packing program of an auction has a constraint for each resource of each node, so a bid on 64 idle nodes has
// the same amount in 64 neighbouring constraints. [stretches] store such columns as runs, on which all methods here
// work.
//
// Selections of small programs are found by annealing ([search]), those of large ones, such
// as of an idle machine, by a [hunt]: annealing and beam searches ([beam]) by turns.
//
// Everything here is pure: no clock but the one handed in, no I/O, no goroutine. Stages
// end by counted work, so that equal problems have equal answers on any machine; a
// deadline may cut them short.
//
// # Invariants
//
// A selection is feasible at all times. A bound is proven, by multipliers in our own arithmetic or by the Engine's
// branching. Groups come from auction.Problem.Groups and never change.
package packing
