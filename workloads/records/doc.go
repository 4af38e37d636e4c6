// Package records reads the records of other people's files, without knowing what they mean for a job.
//
//	Source --Read--> text, unpacked --Lines, Dump, Document, JSONScan, Parquet--> records with their lines, or a fault of one
//
// Lines is for text, Dump for the tables of sacct, whose values may hold line ends. Document walks through JSON of any
// shape. JSONScan cuts the jobs out of "sacct --json", each of which JSONJob has as the fields of sacct's table.
//
// Invariants:
//   - Memory does not grow with the number of records, but for a file of Parquet. No record is larger than MaxLine.
//   - A file with gzip is unpacked whatever its name; lines may end in CR LF.
//   - A bad record is a *faults.Fault with its line, after which reading goes on. Any other error ends it.
//
// The package opens no file itself.
package records
