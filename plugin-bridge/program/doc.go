// Package program holds mixed-integer linear programs: as values, as files, and
// solved by hand.
//
//	a formulation --> Program --Validate--> WriteJSON, WriteMPS, WriteLP
//	a file ----Read----^   |
//	                       +--> a solver --> Solution --Check--> Answer
//
// It knows nothing of jobs and nodes. [Program.Check] decides what is feasible,
// whatever a solver claims; [Exhaustive] is a solver of our own, independent of
// every other, for the small programs of tests.
//
// JSON keeps a program as it is and is what slurmlab dumps and reads. MPS is
// what every solver reads. LP is for people, and is only written.
//
// # Invariants
//
// What a writer wrote its reader reads back equal: numbers are written with the
// fewest digits that keep their value, and variables and rows keep their order.
// A reader returns a valid program or an error that names file, line and field.
package program
