// Package program holds mixed-integer linear programs, as values and as files, and
// what solvers say about them.
//
//	a formulation --> Program --Validate--> WriteJSON
//	a file ----Read----^   |
//	                       +--> a solver --> Solution --Check--> Answer
//
// A [Program] knows nothing of jobs and nodes. [Program.Check] decides what is
// feasible, whatever a solver claims. [Status] is the same for all solvers, those of
// auctions included.
//
// JSON keeps a program as it is; slurmlab dumps and reads it. MPS is what every solver
// writes, and is only read here: the reasons why HiGHS does not read it are in
// docs/dependencies.md.
//
// # Invariants
//
// What WriteJSON wrote is read back equal: numbers are written with the fewest digits
// that keep their value, and variables and rows keep their order. A reader returns a
// valid program or an error that names file, line and field.
package program
