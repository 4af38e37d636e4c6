// Package input parses YAML that a user wrote, within bounds that keep the parser from
// running for minutes or taking all memory.
//
//	text --Parse--> syntax tree of one document, or the first fault with its line
//
// What the values mean, and what is allowed there, is up to the reader of the tree
// (package workloads for machines and workloads, package policy for policies).
//
// Invariant: no text takes longer than linear time before the parser has it.
package input
