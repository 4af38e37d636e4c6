// Package trial plays recorded snapshots against a program that speaks the protocol of
// package plugin, and lists what is wrong with its answers.
//
// The snapshots are of a real run of workload IV.1 on machine S under the auction. Each is
// judged alone: what the program starts does not change the ones after it. Beside each the
// program is told what a run would tell it: what changed since the snapshot before, and what
// became of its starts. One that broke a rule was refused, one whose job waits in the next
// snapshot was returned, and the others started.
package trial
