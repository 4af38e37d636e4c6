// Package sacct knows sacct's table: which fields are asked for, and what a row of
// them says.
//
// Flow: Argv is the command, whose output a run keeps as sacct.txt, unedited; Read
// turns that text into Rows. Tables of other clusters, with other fields and with
// line breaks in them, are read by package workloads/interchange.
//
// Invariants: a row is never skipped and no value is guessed; each fault is named
// with its line and field; times are UTC.
package sacct
