// Package layout describes the nodes and partitions of a cluster whose nodes differ, in the
// words of slurm.conf.
//
// Flow: a machine file becomes a Layout (package workloads), which goes into run.json,
// into slurm.conf (package containers/slurm/conf), and tells the metrics what each node
// has.
//
// Invariants: nodes are numbered from 0 in the order of the groups, and Slurm calls them n1, n2, ... A Layout without
// Faults has at least one group and one partition, and each group is in a partition. A site's name belongs to one
// node only, and exactly one partition is the default. The zero value is no layout: all nodes of such a machine are
// equal and in the partition "main".
package layout
