// Package standing describes how a cluster that people use stands: its daemons, its
// queue and, where an agent schedules it, what the agent did last and which jobs it
// cannot schedule.
//
// Flow: the agent replaces one file (Agent.Save) after each cycle, so that its last
// words can be read when it hangs or is dead; "slurmlabd status" puts them together
// with what Slurm and the processes say at the moment, and prints a Cluster as JSON;
// "slurmlab status" prints Cluster.Text.
//
// Invariant: a part that does not answer is named in the Cluster, and hides none of
// the others.
package standing
