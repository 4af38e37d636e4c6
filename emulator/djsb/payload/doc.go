// Package payload is the emulated application of the Dynamic Job Scheduling Benchmark: a process
// that Slurm starts, suspends, resumes and kills like any other, and that computes nothing. It
// keeps its own progress.
//
//	job script --Run--> Hello --socket--> Server --contention.Rates--> rate --> progress --> exit 0
//
// The server, which lives as long as the benchmark, knows all payloads and tells each how fast it
// goes; it stands for what a node does to jobs that share it, and for the protocol by which jobs
// lend each other cores. Everything else is real: that a payload is there, that it is suspended
// and for how long, and that it is killed, Slurm decides.
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
// Invariants:
//   - A payload ends when its work is done: work seconds at the rate 1.
//   - Suspended time is no progress. It begins with SIGTSTP, which Slurm sends two seconds before
//     SIGSTOP and by which an ordinary program stops, and ends with SIGCONT.
//   - A payload whose server is gone fails.
//   - The work of a triad is a number of passes over the arrays, and the same whatever the threads.
//     No element is computed twice in a pass, and none is left out.
//   - Threads that are not wanted sleep; they take no time of a core.
package payload
