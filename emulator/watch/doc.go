// Package watch is what one look at a cluster at work shows: its clock, its nodes, its
// queue and, where an agent schedules it, what the agent did last.
//
// Flow: "slurmlabd watch" asks Slurm for nodes and jobs once in a while of real time,
// puts them together (Look.See) and writes each Look as a line of JSON; "slurmlab top" and
// the --ui of other commands read them and draw them. Waits says for a pending job what
// it waits for.
//
// Runs that are shown beside each other are looked at at the same virtual times (Shared), too.
//
// Invariants: looking changes nothing in the cluster. Only for shared instants does it wait on the
// cluster's clock; other pauses are idle time there. A Look is complete by itself, so that a reader may miss some. It has at most Most jobs of
// a kind, and counts all. The package is pure.
package watch
