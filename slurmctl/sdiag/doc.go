// Package sdiag reads what slurmctld tells about its own work in sdiag: how long
// backfill's cycles took and why each ended. A run keeps the whole text as
// sdiag.txt.
//
// Invariants: a section or line that is missing, there twice or without a whole
// number is an error with file and line.
package sdiag
