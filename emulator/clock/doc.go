// Package clock is the one place that knows virtual time.
//
// A cluster lives on a Clock: virtual seconds per real second (Scale) and one
// pair of simultaneous readings of both. With Scale 1 the two are the same.
// With a larger Scale every C program of the cluster runs under libfaketime,
// which reads its settings from the environment that Start returns; Go programs
// are static and not reached by it, so they convert through a Clock.
//
// Flow: boot calls Start once, stores the Clock with the cluster, and every
// other process reads it back and calls Now and Sleep.
//
// Invariants: all processes of a cluster share one base, so two of them never
// disagree about virtual time; Now never runs backwards while the real clock
// does not.
package clock
