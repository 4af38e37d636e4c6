// Package stream is the real application of the Dynamic Job Scheduling Benchmark: the triad of
// STREAM (J. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance
// Computers"), a[i] = b[i] + q*c[i] over arrays that no cache holds, with a number of threads
// that changes while it runs. Nothing in it is modelled.
//
//	memory, threads --New--> Triad --Calibrate--> passes in a second
//	                               --Run--> passes done; SetThreads from anywhere
//	Triad + connection --Payload.Run--> threads as package payload's Server lends them
//
// Invariants:
//   - The work is a number of passes over the arrays, and the same whatever the threads.
//   - No element is computed twice in a pass, and none is left out.
//   - Threads that are not wanted sleep; they take no time of a core.
package stream
