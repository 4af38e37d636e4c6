// Package joblog learns from files of slurmctld, as they grow, which jobs have started and
// which have ended. The kernel reports each write, so that a reader costs nothing between
// two of them, and Slurm is asked nothing. A Book reads the same files for people who look
// on, who need no wake-up.
package joblog
