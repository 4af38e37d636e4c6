// Package sbatch reads and writes the options of sbatch.
//
// Flow: a Request is a batch job. Argv writes the command that submits it, and
// ParseCommand reads that back, for a Slurm in memory. A Parser reads options
// that people wrote elsewhere: a line of a list of jobs (package workloads), or an
// alternative request in a job's comment (package agent):
//
//	-N 4 --ntasks-per-node=2 --gres=gpu:1-3
//
// All options stand in one table (table.go): the name, sbatch's names, where a job keeps the value, what it may be, what it
// means. Commands and their readers are made from it, and so are the cells of package channel, the columns of
// workload.csv with their checks (package workloads), and their page of the reference.
//
// job_submit.lua does not read options: slurmctld hands it the fields that sbatch
// made of them.
//
// Invariants: ParseCommand(r.Argv()) is r for every valid r without a script text, with & in its lists. An option
// that a reader does not know is a Fault, and none is read in part.
package sbatch
