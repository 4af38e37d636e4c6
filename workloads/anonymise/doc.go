// Package anonymise puts pseudonyms in the place of names, in what sacct printed, in a workload and in a machine.
//
//	workload.csv or sacct + key --Jobs--> the same with pseudonyms, and Done: what was replaced
//	machine + key --Machine--> the same machine with pseudonyms
//
// The wall: it decides by the name of a column alone. It knows nothing of what a value means, so that a new
// column of a trace is one with names until it is listed here.
//
// Invariants:
//   - Jobs keeps the columns that it knows to name nobody, and replaces all others.
//   - One name has one pseudonym in all files with the same key, two names never have the same, and all pseudonyms of a
//     kind have one length. They do not tell the order of names.
//   - Comments of a workload are left out and counted, since they may have names.
//
// The package opens no file itself.
package anonymise
