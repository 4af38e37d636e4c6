// Package solver is the auction's solver: easy problems are solved in our own
// process, others by a worker process with HiGHS that can be killed.
//
//	Problem --packing.Quick--> optimal? --no--> request --pipe--> worker (Serve)
//	                               |                  answers, stage by stage
//	                           Assignment <--merge, check--+
//
// HiGHS overruns its time limit up to threefold, and a thread inside it cannot
// be stopped. Hence the worker: [Solver.Solve] listens until the limit, kills a
// worker that is still busy then and starts another.
//
// [Programs] solves programs of any form, one process each: those of the papers
// that package packing has no stages for.
//
// Invariants: Solve returns at its limit whatever the worker does; nothing that
// a worker says is believed unchecked, but for its bounds, which must not
// contradict any known selection; a worker ends when its owner's end of the
// pipe closes, also in the middle of a solve.
package solver
