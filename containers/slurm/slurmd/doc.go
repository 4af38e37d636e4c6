// Package slurmd is the kind of cluster in which every node has a slurmd of its own:
// Slurm 26.05 with all that it can do, arrays, steps, srun, salloc, suspend and requeue,
// for tens of nodes.
//
// Flow: all slurmds run side by side in the cluster's container, told apart by their
// ports, spool directories, logs and files of process ids ("slurmd -N"). Each registers
// with slurmctld once, at boot, and starts the jobs and steps of its node.
//
// Invariants:
//   - The slurmds are started one after the other, each when the one before has written
//     its process id: at its start a slurmd replaces the socket /run/slurm/sack.socket,
//     and two at a time end with "Unable to bind UNIX socket".
//   - The spool directory of node NAME is conf.SpoolDir/NAME.
package slurmd
