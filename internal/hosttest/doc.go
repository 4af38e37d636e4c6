// Package hosttest is what tests share that depends on the host they run on: programs
// that must be installed there, waits for what other processes and goroutines do, and the
// time that work takes.
//
// A test that needs something asks for it by Program, Root, Terminal or Missing. Where it
// is not there, the test fails under CI=true, so that nothing is left out in silence, and
// is skipped otherwise. Both say the same, in a form that can be counted:
//
//	needs groff: apt-get install groff-base
//
// A test that is left out for a reason that no install mends is skipped by Long or
// Elsewhere, whose reasons begin with "long: " and "elsewhere: ". Nothing else skips a test;
// in scripts of testscript the command "needs" and the conditions [root] and [linux] stand for them.
//
// A test waits for a condition by Until, and for what a goroutine sends by Receive. Only a
// hang reaches their limit: no test fails because the host is slow or was stopped for a
// while, and none reads a clock to learn whether something is over. How time grows with the
// input is judged by Linear, with the processor time of two sizes within one test.
//
// Invariants: the package imports no package of ours; a program is in the table of
// packages or cannot be asked for.
package hosttest
