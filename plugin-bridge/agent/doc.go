// Package agent is the external scheduler: it stands where a scheduler plugin
// of slurmctld would stand, but outside, and talks to Slurm like an
// administrator.
//
// Flow of one Cycle: read the State of the cluster. Settle what earlier cycles released: started jobs are compared
// with their plan, and jobs that did not start in time are held again. Make an auction.Snapshot of the free cores and
// GPUs and a window of the held jobs. Let package auction, or another policy (a [Decider]), decide. Release the
// winners, in its order, with their node lists. Hand what was decided on to the journal, and return a trace.Cycle.
//
// Slurm's state comes from a Reader, which package slurmctl/channel keeps up to date with what has changed. So the
// cost of a cycle grows with the present jobs and nodes, not with past jobs.
//
// With a Formula the agent decides nothing: it keeps the queue of Slurm's own scheduler in the order of the formula, and a cycle
// ends with priorities in the place of placements (order).
//
// A policy may have a budget: a window and a limit on bids that shrink after a
// solution that ended at its time limit and grow back when solutions are quick.
//
// The queue is in the order of submission, as under priority/basic, or in the order of priorities that
// priority/multifactor would give the jobs if they were not held (package priority). These priorities also weigh jobs
// in the papers' objectives. A nice value counts in both as in Slurm. A job that wants to begin later (--begin)
// enters the window only then.
//
// Nodes that a reservation of Slurm keeps from a job are none of its bids' as long as that lasts;
// the reservations are read in each cycle (Reservation).
//
// With fair share the window is filled, and jobs are weighed, by how far their accounts are from their shares
// (priority.Ledger). Where the cluster has a tree of switches, nodes in the snapshot say which are above them.
//
// A held job's request has three sources. They are what Slurm shows of it, the note that job_submit.lua left in its
// admin comment because updates overwrite the original, and the user's comment, which may list alternatives. A job
// that asks for what no bid can express has an Obstacle and stays held. So does a job that its owner holds, until it
// is released. Obstacles are the job's own: an unreadable one keeps no other from starting. For a job that names several
// partitions each cycle chooses one, and the release tells Slurm so.
//
// Invariants:
//   - Cores, GPUs, memory and licences planned for a released job stay taken
//     until the job has started or is held again, so no cycle gives them away
//     twice.
//   - Every release ends in exactly one record: a Placement (it started), a
//     Refusal among Refused (Slurm said no) or among Reheld (it did not start).
//   - A job that Slurm refuses or holds returns to the window; nothing is lost.
//   - After a cycle that left the agent Settled, cycles until the next job is
//     submitted or ends, or until Next, would decide nothing.
package agent
