// Package process runs a program that speaks the protocol of package plugin.
//
// The program computes only while it is asked: after its answer its process group is
// stopped, and the next question continues it. What has left the group is not stopped; the
// virtual clock sees it compute, as it sees everything in the cluster.
//
// Invariants: of a Process no more than one process group lives; it dies with the process
// that started it.
package process
