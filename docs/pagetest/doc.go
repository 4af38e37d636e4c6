// Package pagetest reads pages of Markdown as commands and what they print, so that a test can run the commands and
// compare, and "make docs" can write what they print into the pages.
//
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
// Invariants: the package starts no process and reads no file; it imports no package of ours.
package pagetest
