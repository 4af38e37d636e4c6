// Package highs solves auctions with HiGHS, through github.com/lanl/highs. It
// is the only package of slurmlab that needs cgo.
//
//	auction.Problem --Greedy--> start --HiGHS (at most the time limit)--> the
//	better of the two --> auction.Assignment
//
// HiGHS is linked in with the build tag highs. Without the tag, or without cgo,
// everything compiles and [New] returns [ErrNotBuilt].
//
// Invariants: Solve returns a feasible assignment at least as good as
// auction.Greedy's, or an error only if the context ended; it returns within
// 1.5 times the time limit and half a second, whatever HiGHS does; Status and
// Bound claim no more than what was proven.
//
// # What lanl/highs v1.0.0 does not do
//
// RawModel.Solve returns an empty solution when the time limit is reached, so
// the best selection found is lost. We build the model with lanl/highs and run
// it through a few calls of our own on the same HiGHS object. The object is
// freed by a finalizer of the RawModel, which must be kept alive until the last
// of these calls.
package highs
