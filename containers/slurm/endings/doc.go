// Package endings ends jobs whose scripts cannot end them by an exit code: those that their owner cancels, and those
// that lack memory. It is for clusters whose nodes run scripts; see package external for the others.
//
// Flow: when its time is over, the script of such a job writes a line into a named pipe, which is a builtin of bash, and
// waits. A Listener in slurmlabd reads the line and tells slurmctld, through the program of package channel.
//
// Invariants:
//   - Nothing is started. A scancel in the script would be read from the container's disk at the very instant at which
//     it is to act: up to 150 s of virtual time late was measured.
//   - slurmctld learns of an end within the second in which the script writes its line.
//   - A job whose line nobody reads does not look completed: its script fails after a day, or its limit
//     ends it.
package endings
