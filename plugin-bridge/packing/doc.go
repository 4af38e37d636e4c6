// Package packing solves auction.Problem, a binary packing program in groups of
// which at most one column wins, by methods that need no solver, and directs an
// [Engine] through the stages that do.
//
//	Problem --Quick: search, Lagrangean bound, branch and bound--> Assignment
//	        --Solve: the same with an Engine's bounds and branching--> Assignment
//
// Everything here is pure: no clock but the one handed in, no I/O, no
// goroutine. Stages end by counted work, so that equal problems have equal
// answers on any machine; a deadline is a guard that may cut them short.
//
// Invariants: a selection is feasible at all times, and a bound is proven by
// multipliers in our own arithmetic or by an Engine's branching. Groups are those
// of auction.Problem.Groups and never change.
package packing
