// Package payload is the emulated application of the Dynamic Job Scheduling Benchmark: a process
// that Slurm starts, suspends, resumes and kills like any other, and that computes nothing. It
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
// Invariants:
//   - A payload ends when its work is done: work seconds at the rate 1.
//   - Suspended time is no progress. It begins with SIGTSTP, which Slurm sends two seconds before
//     SIGSTOP and by which an ordinary program stops, and ends with SIGCONT.
//   - A payload whose server is gone fails.
//   - In the model a job alone has the rate 1; a suspended job has 0; no rate is above 1; another job
//     on its nodes never makes a job faster.
//   - The work of a triad is a number of passes over the arrays, and the same whatever the threads.
//     No element is computed twice in a pass, and none is left out.
//   - Threads that are not wanted sleep; they take no time of a core.
package payload
