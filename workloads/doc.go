// Package workloads says what is emulated: machines, and the jobs that are
// submitted to them.
//
// Load takes the name of an embedded workload ("V.2", see Builtins), a user's spec (.yaml) or a fixed list of jobs
// (.csv, .txt) and gives a Workload. Its Jobs method turns a machine and a seed into []Job in submission order. A
// Spec (the generator of AUCSCHED and AUCSCHED2) draws them, an ESP orders its table of jobs, a list is checked
// against the machine. WithArrivals gives drawn jobs the arrivals of a trace, which LoadArrivals reads. Windows cuts
// a list into parts, each a workload. WriteCSV and ReadCSV handle the workload.csv of a run directory. Package
// interchange makes such files of other people's traces, with the trace's origin in comments at the top. LoadMachine
// does the same for machines.
//
// Invariants:
//   - The same spec, machine and seed give the same jobs and so the same bytes
//     of workload.csv, on every platform and with every Go version: the only
//     source of chance is the PCG-DXSM generator, and this package derives all
//     else from it by integer arithmetic of its own.
//   - The versions of a workload (no, half, all jobs contiguous; with and without
//     GPU ranges), its arrival processes and its limits share one stream of jobs:
//     with the same seed they differ in that one property and nothing else.
//   - Every job that leaves this package fits on its machine, asks for a total
//     number of cores, and has a time limit of at least its run time. It completes unless
//     its Outcome says otherwise, which only the lists of jobs of .csv files do.
//   - All rows of a job array have one limit of tasks that run at a time (Earlier).
//   - A job depends on jobs of earlier rows alone, which arrive no later (Earlier), so that each of
//     them is submitted before it, and none waits for what cannot happen.
//   - A reader reports every fault of its input, each with file, line, field
//     and what is allowed, and never guesses.
//
// The package does no I/O but reading the named file. It imports only packages of
// internal and slurmctl.
package workloads
