// Package payload is the line of a batch script that says how long its job takes. A
// script that has it does nothing but let that time pass. Where Slurm starts scripts the
// line is a comment; elsewhere nobody needs to start the script.
//
// The line is "# slurmlab seconds=600", or, for a job whose time depends on the GPUs per
// node that it got, "# slurmlab seconds=1:150,2:75,3:50". A job that does not complete then has
// its End behind it: "# slurmlab seconds=600 end=cancelled".
package payload
