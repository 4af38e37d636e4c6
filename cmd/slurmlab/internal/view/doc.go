// Package view draws clusters at work on a terminal.
//
// Flow: a History collects the looks at one cluster (package watch). Frame draws one look
// and what went before as lines of text; Beside puts the frames of several clusters next
// to each other. Model is the program of "slurmlab top" and of the --ui of other
// commands: bubbletea hands it looks and keys, and shows its frames.
//
// Invariants: a frame has exactly the height that was asked for and no line wider than
// the width, whatever the cluster and its jobs are called. What is drawn needs no colour:
// colours repeat what signs and numbers say. The package does no I/O; bubbletea does.
package view
