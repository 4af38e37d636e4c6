// Package emulator drives one run inside a booted cluster: it submits the
// workload's jobs at their arrival times, lets Slurm or our agent schedule
// them, waits until the last one has ended and collects the accounting.
//
// Flow: slurmlab sends a Request, Drive answers with a stream of Events as JSON
// lines and leaves sacct.txt and sdiag.txt in a directory; the last event is an
// End. A job is a sleep job: its script alone knows the run time, Slurm only
// sees the limit.
//
// Invariants:
//   - A run is complete only if every job was submitted, ended and is in sacct
//     with its end time; everything else is incomplete (stopped from outside)
//     or failed (a daemon or a command broke), with the reason.
//   - Whatever the end, what was measured up to then is collected if the
//     daemons still answer.
//   - All policies share this code; they differ in whether an agent is running.
package emulator
