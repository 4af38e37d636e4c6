// Package hosttest is what tests share: programs that must be installed on the host, waits for what other processes and
// goroutines do, the time that work takes, and pages of Markdown as commands and what they print.
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
// # Pages
//
// A test can run the commands of a page and compare, and "make docs" can write what they print into the pages.
// A block of code in the language sh is a step: a script for a shell of its own. The blocks of Python of a page are one
// program. A comment that GitHub does not show marks what a command prints, above a block of code or a table:
//
//	<!-- output: slurmlab policy describe backfill -->
//	<!-- output by shape: | head -n 3
//	rows: Waiting h; Packing
//	any: backfill$|auction$ -->
//
// The command runs as a step of its own, after the blocks of its page. Without a command, or with a filter that begins
// with "|", the output is what the sh block before prints on standard output. With rows, only tables stay of it, and of
// these the heading and the rows that begin with one of the names.
//
// Page and command must agree to the letter. By shape, decimal numbers, durations and sizes need not agree, nor widths of
// columns; words and whole numbers must. What the pattern after any matches need not agree either.
//
// A comment above a picture names the file that an earlier step makes, or the target of make that writes it:
//
//	<!-- picture: first/gantt.svg -->
//	<!-- picture: make shots -->
//
// Invariants: the package imports no package of ours; a program is in the table of
// packages or cannot be asked for. What reads pages starts no process and reads no file.
package hosttest
