// Package boot starts one emulated cluster on the machine it runs on: MariaDB,
// slurmdbd, slurmctld and the daemons that stand for the nodes (Nodes), all on one clock,
// and watches over them. It runs inside the cluster's container, or on any machine that
// has the same programs.
//
// Flow: Boot writes the configuration of package containers/slurm/conf, starts the clock and the daemons one after
// the other, asks each one whether it serves, and stores a State. Other processes in the container read that State
// (Load) to find the clock, the environment of Slurm's clients and the daemons. A cluster whose Spec names an Agent
// has it as its last daemon. Supervise restarts daemons that die, unless that is of no use (Nodes.Fatal) or ends in a
// crash loop. State.Watch reports each restart to the other processes, and when a daemon is gone for good.
//
// A first slurmctld runs while QOS and accounts are made, and is then ended. Before the one that stays starts, the
// usage that users begin with is left in StateSaveLocation (leaveUsage).
//
// Invariants:
//   - A cluster is ready when every node is idle AND its Nodes say so. Readiness is always
//     asked for, never assumed after a pause. A daemon is asked by a client program, once it listens.
//   - The clock is held while a cluster boots. Skipped are single seconds between two looks at its nodes, and the time up
//     to the instant of a checkpoint.
//   - The Slurm that serves has the policy's lines of slurm.conf, or the boot ends
//     (Settings).
//   - From the death of a daemon until it serves again, or for good, the clock is held,
//     unless somebody wants the daemon down (DownDir).
//   - Users' programs enter neither the database nor Slurm's sockets, and cannot change the clock (closed, withhold).
//   - Watchers know of a restart before the clock is let go.
//   - What the cluster starts while virtual time is skipped is in memory when it is ready (keepResident).
package boot
