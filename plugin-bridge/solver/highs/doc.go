// Package highs solves linear and integer programs with HiGHS, through
// github.com/lanl/highs. Only this package imports github.com/lanl/highs and C. Only
// plugin-bridge/solver imports it.
//
//	auction.Problem --Engine.Relax--> linear program --Add, Solve--> point, duals
//	                --Engine.Branch--> selection, bound
//	program.Program --Engine.SolveProgram--> solution
//
// The wall keeps cgo and the memory of a library in C in one place: all other packages are
// built without a C compiler. HiGHS is linked in with the build tag highs. Without the tag, or without cgo,
// everything compiles and [New] returns [ErrNotBuilt].
//
// # Invariants
//
// HiGHS runs with one thread and a fixed seed. Nothing here guards against an overrun of the time limit. HiGHS looks
// at its limit only between the steps of its presolve, and was seen to overrun it by a factor of three (HiGHS issues
// 1501, 2226, 2478). Package solver therefore runs it in a process that can be killed.
//
// # What lanl/highs v1.0.0 does not do
//
// RawModel.Solve returns an empty solution when the time limit is reached, so that the
// best selection found is lost, and it takes no selection to start from. We build the
// model with lanl/highs and run it through a few calls of our own on the same HiGHS
// object. The object is freed by a finalizer of the RawModel, which must be kept alive
// until the last of these calls.
package highs
