// Package progress says how far the runs of a command are: in a line that fits a
// terminal and is drawn again and again, and in lines of a log.
//
// Flow: a Model gets to know what each run does (Update) and what the command waits
// for (Wait). Line returns what a terminal shows now, Log.Lines what is to be
// printed once and stays. The library progressbar makes the bar of a Line.
//
// Invariants: nothing here writes or asks a terminal, and no text depends on when it is
// made, only on the times that Update and Line are given. A Line is one line, and no wider
// than asked for. Bar, per cent and "N of M done" are the same fraction: jobs that have
// ended of all jobs.
package progress
