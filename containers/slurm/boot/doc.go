// Package boot starts one emulated cluster on the machine it runs on: MariaDB,
// slurmdbd, slurmctld and the daemons that stand for the nodes (Nodes), all on one clock,
// and watches over them. It runs inside the cluster's container, or on any machine that
// has the same programs.
//
// Flow: Boot writes the configuration of package containers/slurm/conf, starts
// the clock and the daemons one after the other, asks each one whether it
// serves, and stores a State. Other processes in the container read that State
// (Load) to find the clock, the environment of Slurm's clients and the
// daemons. A cluster whose Spec names an Agent has it as its last daemon. Supervise starts
// daemons that die again, unless that is of no use (Nodes.Fatal) or ends in a crash loop;
// State.Watch tells the other processes of each restart, and when a daemon is gone for good.
//
// QOS and accounts are made while a slurmctld runs that is told to end again. Between its end and the start of
// the one that stays, the usage that users begin with is left in StateSaveLocation (leaveUsage).
//
// Invariants:
//   - A cluster is ready when every node is idle AND its Nodes say so. Readiness is always
//     asked for, never assumed after a pause. A daemon is asked by a client program, once it listens.
//   - The clock is held while a cluster boots. Skipped are single seconds between two looks at its nodes, and the time up
//     to the instant of a checkpoint.
//   - The lines of slurm.conf of the policy are those of the Slurm that serves, or the boot ends
//     (Settings).
//   - From the death of a daemon until it serves again, or for good, the clock is held,
//     unless somebody wants the daemon down (DownDir).
//   - Whoever watches knows of a restart before the clock is let go.
//   - What the cluster starts while virtual time is skipped is in memory when it is ready (keepResident).
package boot
