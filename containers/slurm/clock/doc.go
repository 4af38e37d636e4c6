// Package clock is the one place that knows virtual time.
//
// A cluster lives on one Clock, of one of three kinds:
//
//   - real: virtual time is the real time.
//   - scaled: virtual time passes Scale times as fast, whatever happens. Every C
//     program of the cluster runs under libfaketime.
//   - jump: virtual time passes at the speed of real time (divided by the think
//     scale) while anything in the cluster computes, and jumps to the next
//     deadline as soon as nothing is runnable. Every C program runs under
//     libvclock.so; vclockd decides when to jump. All of them share one page of
//     memory, whose layout and protocol are in containers/slurm/vclock/vclock.h.
//
// Both libraries are loaded by the environment that Start returns. Go programs
// are static and not reached by it; they read time and wait through a Clock.
//
// Flow: boot calls Start once and stores the Clock with the cluster. Every other process reads it back, calls Attach,
// and then Now, Sleep and Wait. A jump clock starts held, so that booting takes no virtual time. The emulator lets it
// go (Go) when the first job can be submitted and holds it again when the last one has ended. "slurmlabd clock go"
// lets it go in a cluster kept for use. A measurement reads Stats before and after.
//
// Invariants:
//   - All processes of a cluster share one base, so two of them never disagree
//     about virtual time. Now never runs backwards while the real clock does not.
//   - Sleep, SleepUntil and Wait never end early: when they return without an
//     error or a wake-up, Now has reached the instant.
//   - A program that waits for virtual time has a deadline in the page for
//     exactly as long; a program that waits for anything else has none, and is
//     idle to vclockd. What it does then must be seen as work: a runnable thread,
//     or a Hold. A time.Sleep is neither.
//   - A jump clock that loses its vclockd goes on at the speed of real time, and
//     all waits on it still end. A vclockd that dies or is stopped is replaced.
//   - No time is skipped while a signal has stopped a process of the cluster's own: its
//     parent holds the clock, and vclockd sees those that the first process of the
//     container has inherited. Processes of suspended jobs keep no time from passing.
package clock
