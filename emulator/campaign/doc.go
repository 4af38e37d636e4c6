// Package campaign turns a campaign file into a list of runs: machines x workloads x
// seeds or windows x policies with settings x kinds of cluster, without what the file
// excludes.
//
// Flow: Read walks the file's syntax tree (document), loads what it names (Sources), makes
// each policy with each combination of its settings (variants), and forms the product
// (expand). The runs come in the order in which they are to be made (order): a replica
// is whole before the next begins, and policies take turns in going first.
//
// Invariants: nothing is read, written or started but through Sources. The error of a
// bad file lists its faults with their lines and fields. No two runs have the same
// directory. A run's directory depends on its own values alone, so that a file which grows keeps
// the runs that are there.
package campaign
