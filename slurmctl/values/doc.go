// Package values reads the notations that Slurm's commands share: times, durations,
// time limits, counts, lists of trackable resources (TRES) and of generic ones
// (GRES), and lists of nodes. For example Duration("1-02:03:04") is 26 h 3 min 4 s, and
// GPUs("gpu:a100:2(S:0-1)") is 2.
//
// A hostlist is Slurm's compressed text of node names: "n[1-4,8],n12". [ExpandHosts] reads what Slurm prints.
// [HostNumbers] reads it for nodes that are called n1, n2 and so on, without making their names. [CompressHosts]
// writes what Slurm would print for the same names in the same order (src/common/hostlist.c in Slurm 24.11.5).
// scontrol show hostnames and scontrol show hostlist produced every row of the test tables.
//
// [ReadNodeState] reads the states of nodes with their signs, such as DOWN* or IDLE+DRAIN, for slurmctl/site and workloads/events.
//
// Every reader of Slurm's text uses these, so a notation means the same everywhere. The readers are for the output of
// scontrol and squeue (package slurmctl), for sacct's table (slurmctl/accounting, workloads/interchange) and for
// sbatch's options (slurmctl/sbatch).
//
// Invariants: a text that is not understood is an error or false, never a guess. No value is negative. A word for
// "not set" is the zero value. ExpandHosts keeps order and repetitions, and ExpandHosts(CompressHosts(x)) == x for
// every list of valid names. No input makes it return more than MaxHosts names. It is stricter than Slurm, which
// reads "n[1-]" as n1 and splits at blanks. A hostlist that Slurm never prints is an error here, so "None assigned"
// or "(null)" cannot pass for a node.
package values
