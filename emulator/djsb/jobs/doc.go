// Package jobs is the job interface of the Dynamic Job Scheduling Benchmark (DJSB section
// 2.2): jobs are submitted, polled until they have completed, suspended and resumed.
//
//	Request --Submit--> id --Poll--> Status; Suspend, Resume, Cancel by id
//
// Five ways to run a job, which keep one contract (contract_test.go):
//   - Slurm, by sbatch and scontrol, in a reservation if one is named; slurmctl.Here runs them for a site
//   - Cluster, the same for a cluster whose time is skipped, without starting a program
//   - Allocation, steps of an allocation that Slurm has given already
//   - Commands, which the configuration has, for any other scheduler
//   - Interactive, processes of this machine without any scheduler
//
// Invariants:
//   - A job's times come from the source that knows them best: Slurm's records (whole seconds), the
//     job's own stamps (Commands), the process (Interactive, Allocation).
//   - A job that ended otherwise than with exit status 0 is Failed and says why.
//   - Cancel of a job that has ended is no error, so that a benchmark that ends can cancel all.
package jobs
