// Package boot starts one emulated cluster on the machine it runs on: MariaDB,
// slurmdbd, slurmctld and one front-end slurmd, all on one clock, and watches
// over them. It runs inside the cluster's container, or on any machine that
// has the same /opt/slurm tree.
//
// Flow: Boot writes the configuration of package containers/slurm/conf, starts
// the clock and the daemons one after the other, asks each one whether it
// serves, and stores a State. Other processes in the container read that State
// (Load) to find the clock, the environment of Slurm's clients and the
// daemons; State.Watch tells them when a daemon is gone. A cluster whose Spec names
// an Agent has it as its last daemon.
//
// Invariants: a cluster is ready when every node is idle AND slurmd has
// registered twice. slurmctld asks for the second registration three seconds
// after its start (src/slurmctld/ping_nodes.c, restart_flag); with GPU nodes it
// kills the jobs that run by then, so no job may be submitted before it.
// Readiness is always asked for, never assumed after a pause.
package boot
