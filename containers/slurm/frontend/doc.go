// Package frontend is the kind of cluster in which one slurmd stands for all nodes:
// Slurm 24.11, the last series with front-end mode. It runs real batch scripts, and can
// suspend and requeue jobs.
//
// Invariants: a cluster is ready when every node is idle AND slurmd has
// registered twice. slurmctld asks for the second registration three seconds
// after its start (src/slurmctld/ping_nodes.c, restart_flag), which a jump clock skips; with
// GPU nodes it kills the jobs that run by then, so no job may be submitted before it.
package frontend
