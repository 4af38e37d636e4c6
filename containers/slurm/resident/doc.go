// Package resident keeps the files of programs in memory that a cluster starts while virtual time is skipped: the shells
// and sleeps of jobs, slurmstepd, Slurm's commands.
//
// Flow: Files finds what the programs load, Keep maps it into this process, which keeps it as long as it lives.
//
// On fuse-overlayfs, where many containers have their files, a program that is read for the first time waits for dozens
// of answers of a process outside the container; nobody in the cluster computes meanwhile. Measured with strace: perl
// asks for 54 parts of files and 13 names at its first start and for none at its second. What is left are 10 to 20
// requests a start that have no data in them: files are opened, and symbolic links read, by that process each time.
//
// Invariants:
//   - What is kept is in memory when Keep returns, and not read again: pages that a process has mapped outlive those
//     that nobody has.
//   - A file that is missing is none that could be started: it is left out.
package resident
