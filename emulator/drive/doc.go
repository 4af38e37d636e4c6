// Package drive carries out one run inside a booted cluster. It submits the workload's jobs at their arrival times
// and lets Slurm or our agent schedule them. It waits until the last one has ended and collects the accounting.
//
// Flow: slurmlab sends a Request, which holds the Spec of the run. Drive answers with a stream of Events as JSON
// lines and leaves sacct.txt and sdiag.txt in a directory; the last event is an
// End. A job is a sleep job: its script alone knows the run time, Slurm only
// sees the limit.
//
// Arrivals and ends drive a run. The driver knows the arrivals, and Slurm's
// completion log tells the ends; nobody asks Slurm at intervals whether
// something has happened. So an idle cluster is idle, which is what a jump clock
// lives on.
//
// What Slurm logs of starts and ends is reported on the way (Heard), for people who look at the run. Nothing of the
// run depends on it.
//
// Keep is for a cluster that people use: there is no run, and the agent has a
// cycle in every interval, and leaves after each how it stands (package watch).
//
// A meter measures how well virtual time was kept: where the processor time of the cluster's core
// went, and what its jump clock did. Virtual time passes while the core is busy, whatever program it
// runs. The seconds that slurmctld computes belong to the emulated cluster. Those of other
// programs on the core and of the hypervisor do not, and make the times of a run doubtful.
//
// Invariants:
//   - A run is complete only if every job was submitted, ended and is in sacct
//     with its end time, and if sacct says what the run did (believe); everything else is incomplete (stopped
//     from outside) or failed (a daemon or a command broke), with the reason. Whether the jobs
//     ended as planned is judged by who reads sacct.txt, package trace.
//   - Every run ends: if it is neither complete nor broken, then when no job has been
//     submitted, has started or ended for longer than any job may run (unstick).
//   - As long as slurmlabd can run at all, slurmlab gets an event every AliveInterval
//     of real time.
//   - A job is submitted once in effect (submitter), and Slurm that does not answer is neither
//     a refusal nor a failure until answerLimit.
//   - Whatever the end, what was measured up to then is collected if the
//     daemons still answer.
//   - All policies share this code; they differ in whether an agent is running
//     and in its parameters, see package policy. Slurm's own differ in what the
//     cluster was booted with, and in nothing here.
//   - Cycles of the agent take place at multiples of its interval. Those left
//     out would have decided nothing.
//   - Each submission, cancellation, event and cycle, and each end by the runner of external nodes,
//     tells how late it came. Nothing else tells that the clock skipped time in which one was under way.
//   - Slurm is asked at virtual instants only: what a run does must not depend
//     on how fast the real clock is.
//   - While virtual time is skipped no command of Slurm's is started: what the run does goes
//     through Driver.Slurm. What else must be started lies in memory (package containers/slurm/boot).
//   - Virtual time is skipped only between the start of a run and its last job's
//     end; before and after, a jump clock is held.
//   - The parts of BusySeconds add up to the processor time of the cluster, that is, of its control
//     group, or of its processes where it has none; a process that ended before the meter stopped is part of the rest.
//   - No part is negative. The counters are not read at one instant and differ in
//     resolution; where that would make the rest negative it is 0, and the parts
//     add up to more than the whole.
package drive
