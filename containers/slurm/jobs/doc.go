// Package jobs is what is known of the jobs of a workload on the machine of slurmctld: what their scripts say, and from
// files of slurmctld which of them have started and ended.
//
// # Scripts
//
// The script of a job says how long the job takes, and how it ends then. Such a script only lets that time pass.
//
// Flow: the line is "# slurmlab seconds=600", or, for a job whose time depends on the GPUs per node that it got,
// "# slurmlab seconds=1:150,2:75,3:50". A job that does not complete then has its End behind it:
// "# slurmlab seconds=600 end=cancelled". Where Slurm starts scripts the line is a comment; elsewhere nobody needs to start
// the script (package external).
//
// Two kinds of job cannot end by an exit code: jobs that their owner cancels, and jobs that lack memory.
// Where scripts run, such a script writes a line into a named pipe when its time is over, which is a builtin of bash, and
// waits. A Listener in slurmlabd reads the line and tells slurmctld, through the program of package channel.
//
// # Files of slurmctld
//
// The files are read as they grow. The kernel reports each write, so that a reader costs nothing between
// two of them, and Slurm is asked nothing. A Book reads the same files for people who look
// on, who need no wake-up.
//
// # Invariants
//
//   - Nothing is started. A scancel in the script would be read from the container's disk at the very instant at which
//     it is to act: up to 150 s of virtual time late was measured.
//   - slurmctld learns of an end within the second in which the script writes its line.
//   - A job whose line nobody reads does not look completed: its script fails after a day, or its limit
//     ends it.
package jobs
