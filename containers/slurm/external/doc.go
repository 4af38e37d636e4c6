// Package external runs the jobs of clusters whose nodes somebody else than Slurm manages
// (State=EXTERNAL, the form External of package backend). Slurm schedules and allocates there as ever, but starts
// nothing and contacts no node. There is no slurmd.
//
// Only cmd/slurmlabd imports it. The wall keeps what runs jobs inside a cluster out of slurmlab, and lets tests play a
// Runner with stand-ins for Slurm, clock and processes.
//
// Flow: job_submit.lua keeps the script of each job in conf.ScriptDir and makes the job external. A Runner stands for
// the nodes. It learns from slurmctld's log which job has started, from Slurm when and with how many GPUs, and from
// the kept script for how long. At that instant of virtual time the Runner ends the job through Slurm's API (Jobs,
// through package channel), with the exit code that the script says, or cancels it as its owner. Slurm's completion
// log has the jobs that ended otherwise: at their limit, or by scancel.
//
// A script without a time is somebody's own: the Runner has it run (package scripts), ends
// the job with the script, and the script with the job.
//
// Invariants:
//   - Between two starts and ends the Runner sleeps; it asks Slurm at no interval.
//   - A job ends at its start plus its run time, both in whole virtual seconds. It is
//     never ended earlier, and later only if slurmctld answers later.
//   - The Runner keeps nothing that cannot be read back: which jobs run is known to
//     Slurm, for how long to their scripts.
//   - The Runner reports free nodes once for all jobs that end at an instant, since
//     Slurm's scheduler looks at its queue when an epilog ends, and here is none.
//   - Slurm is right about which jobs run, since when: a Runner asks when it begins, when
//     slurmctld was restarted, and when an answer was missing.
//   - A kept script is removed a minute after its job's end, and that of no job a minute
//     after slurmctld's log tells of a refusal or a restart.
//   - conf.SpoolDir has a directory "job..." for each running job, and for each whose
//     script has not ended yet, as slurmd's has.
package external
