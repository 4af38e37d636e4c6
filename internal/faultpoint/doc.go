// Package faultpoint names the points of the code at which the fault campaign (tools/faults) breaks a run on purpose.
// At("release/updated") stands between the update of a job and its release.
//
// Outside builds with the tag faults, At is empty and the compiler leaves out the call
// together with the name. In such a build, the environment of a process names the one
// point that is armed and the Unix socket of the nemesis. The first process and
// goroutine that reaches the armed point tells the nemesis so, and computes in a loop
// until the nemesis lets it go on. It does not sleep: a jump clock would take a cluster
// in which everybody waits for an idle one, and virtual time would jump away from the
// point.
//
// Invariants: each process stops at its armed point once at most; a process goes on when
// the nemesis is gone.
package faultpoint
