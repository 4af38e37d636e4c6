// Package watch is what people see of a cluster at work. [Look] is one look at its clock, nodes and queue. [Cluster]
// is the status of the daemons and the agent of a cluster that they keep.
//
// Flow: "slurmlabd watch" asks Slurm for nodes and jobs once in a while of real time, puts them together (Look.See)
// and writes each Look as a line of JSON. "slurmlab top" and the --ui of other commands read them and draw them.
// Waits says for a pending job what it waits for. Runs that are shown beside each other are looked at together, at
// the same virtual times (Shared).
//
// What the agent does is an [Agent]; slurmlabd keeps it in a file, so that its last
// words can be read when it hangs or is dead. "slurmlabd status" puts it together
// with what Slurm and the processes say at the moment, and prints a Cluster as JSON;
// "slurmlab status" prints Cluster.Text.
//
// Invariants: looking changes nothing in the cluster. Only for shared instants does it wait on the
// cluster's clock; other pauses are idle time there. A Look is complete by itself, so that a reader may miss some. It has at most Most jobs of
// a kind, and counts all. A part that does not answer is named in the Cluster, and hides none of
// the others. The package is pure.
package watch
