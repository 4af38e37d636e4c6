// Package contention is the model of what jobs on the same nodes do to each other: how fast each
// goes, compared with going alone.
//
//	Model (parameters) + []Load (jobs that are on nodes) --Rates--> a rate from 0 to 1 for each
//
// The applications are STREAM (DJSB section 2.3), which waits for memory. Three things slow them
// down:
//   - Bandwidth. A part of a node's cores, Saturating, draws all of its memory bandwidth; more
//     cores draw no more. Jobs that want more than there is have it in proportion to the cores
//     that each computes on.
//   - Switching. Jobs whose threads share cores, because together they have more threads than
//     there are cores, get the core's time in proportion to their threads and lose SwitchLoss of
//     their speed besides.
//   - Memory pressure. While jobs, suspended ones included, fill more than PressureNone of a
//     node's memory, each loses up to PressureLoss of its speed, which it does at PressureFull.
//     A job alone on its node loses nothing, as what it is compared with has the same memory.
//
// A job goes as fast as on the slowest of its nodes, since its tasks wait for each other.
//
// Where the parameters come from is said at Defaults.
//
// Invariants: a job alone has the rate 1; a suspended job has 0; no rate is above 1; another job
// on its nodes never makes a job faster.
package contention
