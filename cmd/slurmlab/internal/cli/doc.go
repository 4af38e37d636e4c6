// Package cli is the slurmlab command. A file for each subcommand has its flags, checks what they say, and prints what came
// of it; other files have what several subcommands share: flags, tables, progress, completion.
//
// Flow: main builds a State from the operating system, Main parses the
// arguments, runs one command and turns its error into an exit code.
//
// Invariants: standard output carries the result and nothing else; how far
// runs are goes to standard error, as one line that is drawn again only to a terminal.
// Exit codes are those of [ExitCodes], and what they mean stands there alone. Invalid
// input is found before anything is created.
package cli
