// Package progress says how far the runs of a command are: in lines that fit a
// terminal and are drawn again and again, and in lines of a log.
//
// Flow: a Model gets to know what each run does (Update) and what the command waits
// for (Wait). Frame returns what a terminal shows now, Log.Lines what is to be
// printed once and stays.
//
// Invariants: nothing here reads a clock, writes or asks a terminal. No line of a
// Frame is wider than asked for. Bar, per cent and "N of M done" are the same
// fraction: jobs that have ended of all jobs.
package progress
