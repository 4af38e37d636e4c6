// Package plan says which faults the campaign plays: cells of a table whose columns are
// what is done, to whom, when, under which policy and on which kind of cluster.
//
// Flow: Cells lists every cell that can be produced, Impossible says why the others
// cannot, and Cover chooses cells until each pair of values that occurs in some cell is
// in a chosen one (pairwise coverage). PluginCells lists those of plug-ins that misbehave,
// all of which are played.
//
// Invariants: the package does no I/O; the same seed chooses the same cells in the same
// order; of cells that cover as many pairs the one that takes less real time is chosen.
package plan
