// Package faulttest breaks a cluster in memory on purpose and looks whether jobs are
// lost, started twice or left waiting.
//
//	seed --> scenario (machine, jobs, mishaps)
//	drive.Keep or Driver, agent, parsers --> session, nemesis --> slurmtest.Cluster
//	                                           faults of commands     |
//	                  checker <-- starts and ends, from the cluster --+
//
// The tests are a package of their own because they join two that do not know each other,
// drive and the agent, and have flags.
//
// What runs is the real code: the loops of package drive, the agent, and the texts of Slurm's commands that slurmctl
// builds and reads. Below them the nemesis makes commands fail. They are refused, unanswered, timed out before or
// after they took effect, answered with a garbled, a cut or an old text, or slowly. It kills the agent in the middle
// of a release, and reports ends of jobs twice or never. Jobs fail, and nodes stay COMPLETING. The clock is
// testing/synctest's: nothing sleeps.
//
// Each seed is one scenario. One part of the seeds keeps a cluster (drive.Keep) and
// lets the faults cease after a while, the other drives a run (drive.Driver) with
// one or two faults.
//
// Invariants that the checker holds, by what the cluster itself reports:
//   - No job starts twice, no core and no GPU is held by two jobs at an instant, and
//     no command makes slurmctld crash.
//   - Once the faults have ceased every job ends, within a bound of virtual time, or
//     the agent names its obstacle; what it releases then starts where planned.
//   - A run ends within a bound of virtual time; it is complete only if every job
//     started and ended once and is in sacct.txt, fails only after a fault, and then
//     with a reason, which names the fault if there was one.
//   - The agent promises no core to two jobs that it has released and that have not
//     started.
//   - Each refused release is in the record of its cycle, and each cycle that a command
//     ended says so in its record.
//
// A seed that breaks one is printed with the steps that are needed for it; all others
// were left out one by one. "go test ./emulator/faulttest -v -seed N" plays it again.
//
// The cluster in memory is held against the real Slurm by the contract of slurmtest;
// faults of processes (a killed daemon, a full disk) are not in its reach.
package faulttest
