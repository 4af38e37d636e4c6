// Package cli is the slurmlab command: one file per subcommand, flags and
// wiring only.
//
// Flow: main builds a State from the operating system, Main parses the
// arguments, runs one command and turns its error into an exit code.
//
// Invariants: standard output carries the result and nothing else; how far
// runs are goes to standard error, as a picture only to a terminal. Exit codes: 0
// good, 1 failure or unsuitable environment, 2 bad usage or invalid input, 130
// interrupted after cleaning up; "shell" passes on that of the command it ran.
// Invalid input is found before anything is created.
package cli
