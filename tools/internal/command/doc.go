// Package command starts the commands for developers that are made with cobra.
//
//	cobra.Command --Main--> the process's exit status; what failed on standard error
//
// Invariant: the exit status is slurmlab's: 0 good, 1 failure, 3 a check failed.
package command
