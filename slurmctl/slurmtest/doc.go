// Package slurmtest stands in for Slurm 24.11.5 in tests. Both stand-ins
// implement slurmctl.Runner and speak Slurm's text, so that the parsers of
// slurmctl are always part of the test.
//
//   - Transcript plays recorded answers.
//   - Cluster is a small Slurm in memory for the commands that slurmctl uses:
//     sbatch, scancel, squeue, scontrol show, update, hold, release and ping,
//     sacct, sacctmgr ping and add, sshare, sdiag. Its clock is moved by the test.
//
// Cluster follows Slurm's rules for held jobs with node lists exactly: which cores a job takes, in which order
// released jobs start, what is refused and with which words, and what crashes slurmctld. The contract test runs the
// same cases against it and against the real Slurm of each backend. It does not follow Slurm in the choice of nodes
// for jobs without a node list.
//
// Jobs of a Cluster may fail or leave their nodes COMPLETING for long (Config.Mishap),
// and a test may follow starts and ends (Config.Observe).
package slurmtest
