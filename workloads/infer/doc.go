// Package infer supposes the machine of a trace from what its jobs held at once.
//
//	sacct and others --Holdings--> what jobs held, from when to when --sweep--> most at once on each node --builder--> Inferred
//
// [Machine] plays the starts and ends of jobs twice: jobs on one node, whose parts are known, say how large
// nodes are at least. Then jobs on several nodes are divided among these.
//
// The wall: of a record it sees the interchange.Holding alone, so that no supposition depends on how a format is read.
//
// Invariants:
//   - No value of an Inferred is above what jobs held at once, if jobs on several nodes have equal parts, but for nodes that it takes to be
//     like others and names.
//   - Each value says how sure it is and what supports it. What is left out has its count.
//   - Each job is kept in memory, about 200 bytes.
//
// The package opens no file itself.
package infer
