// Package batch cuts the runs of a campaign into the tasks of job arrays, writes what sbatch is asked for, and reads
// what Slurm answers.
//
// Flow: Tasks puts runs together until a task is worth its start, Arrays cuts the tasks into arrays that Slurm takes,
// Array.Argv and Array.Script are an sbatch, JobID its answer. Lines is the file that each task of an array
// has its runs from (Line). Live reads which tasks squeue knows.
//
// Invariants: no input or output. The runs of all tasks are those that were given, each once, in their order.
// A run is in one task, so that two tasks never have the same run to make.
package batch
