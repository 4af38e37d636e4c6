// Package solver is the one door to all solvers: a caller with an auction or another program to be solved asks a
// [Solver].
//
//	auction.Problem --packing.Quick--> optimal? --no--> request --pipe--> worker (Serve)
//	                                      |                    answers, stage by stage
//	                                 Assignment <---check, merge---+
//	program.Program -------------------------------> request --pipe--> worker
//	                                  Solution <-----check--------- points, bounds
//
// Easy auctions are solved in our own process, by package packing. All else goes to a worker, a process of its own
// with HiGHS (package highs). HiGHS overruns its time limit up to threefold, and a thread inside it cannot be
// stopped, but a process can be killed. The Solver listens until the limit, kills a worker that is still busy then,
// and starts another.
//
// Both kinds of programs go through the same pipes in the same form: a program in
// flat arrays, of which an auction's has the kinds of its rows as well.
//
// The package stands apart from slurmlabd, which alone uses it, as it owns a process. Deciders see an auction.Solver,
// and tests decide without a worker.
//
// # Invariants
//
// A call returns at its limit whatever the worker does. No selection or point of a
// worker is believed unchecked; its bounds are, unless a known selection contradicts
// them. Why a worker was lost or abandoned is in the Cause of the answer. A worker
// ends when its owner's end of the pipe closes, also in the middle of a solve.
package solver
