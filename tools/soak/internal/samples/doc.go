// Package samples says what processes of a long run took: memory, descriptors and
// processor time over the jobs that have ended.
//
// Flow: the caller makes a Sample of each process at each look; GrowthOf and Cost say at
// the end whether the run was steady, and WriteCSV keeps the samples.
//
// Invariants: the package does no I/O but on the writer that it is given.
package samples
