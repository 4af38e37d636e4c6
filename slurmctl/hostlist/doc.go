// Package hostlist converts between node names and Slurm's compressed text
// form, the hostlist: "n[1-4,8],n12".
//
// Expand reads what Slurm prints; Numbers reads it for nodes that are called n1, n2
// and so on, without making their names; Compress writes what Slurm would print for
// the same names in the same order (src/common/hostlist.c in Slurm 24.11.5;
// every row of the test tables was produced by scontrol show hostnames and
// scontrol show hostlist).
//
// Invariants: Expand keeps order and repetitions; Expand(Compress(x)) == x for
// every list of valid names; no input makes Expand return more than MaxHosts
// names. Expand is stricter than Slurm, which reads "n[1-]" as n1 and splits
// at blanks: a hostlist that Slurm never prints is an error here, so that
// "None assigned" or "(null)" cannot pass for a node.
package hostlist
