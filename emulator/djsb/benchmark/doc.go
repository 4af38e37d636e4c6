// Package benchmark runs the Dynamic Job Scheduling Benchmark (DJSB section 2) through a job
// interface, with applications that Slurm starts, suspends, resumes and kills like any other.
//
//	configuration --reference stage--> Reference (times alone)
//	              --execution stage--> Sample, for each scenario, number of analytics and repetition
//
// In a sample the simulation runs; after a sleep drawn from [sleep_min_time, sleep_max_time] an
// analytics is submitted, and when it has ended the next sleep begins. In the plain queue no
// analytics ends before the simulation, so there the next sleep begins with the submission. In
// ScenarioWaiting the simulation comes behind the first analytics, and the others right behind it.
//
// InMemory runs the same stages without Slurm: on a Machine that starts jobs after a delay and lets
// them go as fast as Contention says. Nothing in it is measured. Sensitivity says which of
// the paper's findings the model decides, and how far each parameter can move before one turns over.
//
//	configuration + Contention + delay --InMemory--> Summaries, the same as from a cluster
//	                                   --Sensitivity--> Turn, for each finding and parameter
//
// Slurm's times are whole seconds. A real application may take less than one, so the benchmark places submission, start and
// end of each job inside Slurm's seconds by what the application says.
//
// # The job interface
//
// Jobs are submitted, polled until they have completed, suspended and resumed (DJSB section 2.2).
//
//	JobRequest --Submit--> id --Poll--> Status; Suspend, Resume, Cancel by id
//
// Five ways to run a job, which keep one contract (contract_test.go):
//   - Slurm, by sbatch and scontrol, in a reservation if one is named; slurmctl.Here runs them for a site
//   - Cluster, the same for a cluster whose time is skipped, without starting a program
//   - Allocation, steps of an allocation that Slurm has given already
//   - Commands, which the configuration has, for any other scheduler
//   - Interactive, processes of this machine without any scheduler
//
// # The application
//
// A Payload is a process that Slurm handles like any other, and that computes nothing. It
// keeps its own progress.
//
//	job script --Run--> Hello --socket--> Server --Contention.Rates--> rate --> progress --> exit 0
//
// The server, which lives as long as the benchmark, knows all payloads and sends each its speed. It stands for what a
// node does to jobs that share it, and for the protocol by which jobs lend each other cores. Everything else is real.
// Slurm starts a payload, suspends it for some time, and kills it.
//
// Real applications compute the triad of STREAM (J. McCalpin, "Memory Bandwidth and Machine Balance
// in Current High Performance Computers"), a[i] = b[i] + q*c[i] over arrays that no cache holds.
// Their number of threads changes while they run, as the same server tells them. Nothing in that is
// modelled.
//
//	memory, threads --NewTriad--> Triad --Calibrate--> passes in a second
//	                                    --Run--> passes done; SetThreads from anywhere
//	Triad + connection --Real.Run--> threads as the Server lends them
//
// Contention is the model of what jobs on the same nodes do to each other: how fast each goes,
// compared with going alone.
//
//	Contention (parameters) + []Load (jobs that are on nodes) --Rates--> a rate from 0 to 1 for each
//
// The applications are STREAM (DJSB section 2.3), which waits for memory. Three things slow them
// down:
//   - Bandwidth. A part of a node's cores, Saturating, draws all of its memory bandwidth; more
//     cores draw no more. Jobs that want more than there is have it in proportion to the cores
//     that each computes on.
//   - Switching. Jobs whose threads share cores, because together they have more threads than
//     there are cores, get the core's time in proportion to their threads and lose SwitchLoss of
//     their speed besides.
//   - Memory pressure. While jobs, suspended ones included, fill more than PressureNone of a
//     node's memory, each loses up to PressureLoss of its speed, which it does at PressureFull.
//     A job alone on its node loses nothing, as what it is compared with has the same memory.
//
// A job goes as fast as on the slowest of its nodes, since its tasks wait for each other.
// DefaultContention says where the parameters come from.
//
// # Invariants
//
//   - The sleeps follow from seed, number of analytics and repetition alone: all scenarios that
//     have sleeps have the same.
//   - When Benchmark.Run returns, no job is left: those that have not ended are cancelled. One that could
//     not be cancelled ends the run and is named.
//   - A sample in which a job failed, or in which an analytics came or, where it is to run beside
//     the simulation, started after the simulation's end is Failed and says why; the others go on.
//   - In memory the same arguments give the same results, and no real time passes. Sensitivity moves
//     one parameter; all others stay where they are.
//   - A job's times come from the source that knows them best: Slurm's records (whole seconds), the
//     job's own stamps (Commands), the process (Interactive, Allocation).
//   - A job that ended otherwise than with exit status 0 is Failed and says why. Cancel of a job that has ended is
//     no error, so that a benchmark that ends can cancel all.
//   - A payload ends when its work is done: work seconds at the rate 1. One whose server is gone fails.
//   - Suspended time is no progress. It begins with SIGTSTP, which Slurm sends two seconds before
//     SIGSTOP and by which an ordinary program stops, and ends with SIGCONT.
//   - In the model a job alone has the rate 1; a suspended job has 0; no rate is above 1; another job
//     on its nodes never makes a job faster.
//   - The work of a triad is a number of passes over the arrays, and the same whatever the threads.
//     No element is computed twice in a pass, and none is left out.
//   - Threads that are not wanted sleep; they take no time of a core.
package benchmark
