// Command recordings takes out of run directories what tests and benchmarks of the scheduler play
// again, and compares solvers on the programs of recorded runs.
//
//	recordings run DIR RUN...          copies what plugin-bridge/journal decides again:
//	                                   each run becomes a directory of the same name in DIR
//	recordings states FILE RUN...      writes the states of machine and window on which the benchmarks
//	                                   of the solver run (auctiontest.States)
//	recordings programs DIR RUN...     writes the program of each cycle of a run of the papers' policies,
//	                                   as --set dump_models=true does, and as MPS
//	slurmlab dev solve --time-limit 60s --format json DIR/*.json.gz > answers.json
//	recordings compare DIR answers.json
//	                                   solves the MPS files with CBC and prints a row for each run:
//	                                   how many optima are the same
//
// A run of programs is a recording of plugin-bridge/journal/testdata, or the directory of a run
// with --set dump_models=true, of which every dumped program is taken. CBC reads a program as another writer
// wrote it, and shares no code with HiGHS.
//
// Invariants: a run directory is read and never written to; the same run gives the same files.
package main
