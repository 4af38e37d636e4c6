// Package values reads the notations that Slurm's commands share: times, durations,
// time limits, counts, lists of trackable resources (TRES) and of generic ones
// (GRES). For example Duration("1-02:03:04") is 26 h 3 min 4 s, and
// GPUs("gpu:a100:2(S:0-1)") is 2.
//
// Every reader of Slurm's text uses these, so that a notation means the same
// everywhere: what scontrol and squeue print (package slurmctl), sacct's table
// (slurmctl/sacct, workloads/interchange) and sbatch's options (slurmctl/sbatch).
//
// Invariants: a text that is not understood is an error or false, never a guess; no
// value is negative; a word for "not set" is the zero value.
package values
