// Package highs solves linear and integer programs with HiGHS, through
// github.com/lanl/highs. It is the only package of slurmlab that needs cgo.
//
//	auction.Problem --New, Relax--> linear program --Add, Solve--> point, duals
//	                --New, Branch--> selection, bound
//
// HiGHS is linked in with the build tag highs. Without the tag, or without cgo,
// everything compiles and [New] returns [ErrNotBuilt].
//
// Invariants: HiGHS runs with one thread and a fixed seed. Nothing here guards
// against an overrun of the time limit: HiGHS looks at its limit between the
// steps of its presolve only, and was seen to overrun it by a factor of three
// (HiGHS issues 1501, 2226, 2478). Package solver runs it in a process that can
// be killed.
//
// # What lanl/highs v1.0.0 does not do
//
// RawModel.Solve returns an empty solution when the time limit is reached, so
// the best selection found is lost; it takes no start either. We build the
// model with lanl/highs and run it through a few calls of our own on the same
// HiGHS object. The object is freed by a finalizer of the RawModel, which must
// be kept alive until the last of these calls.
package highs
