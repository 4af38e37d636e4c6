// Package input reads and writes the YAML that people write: machines, workloads, campaigns, policies.
//
//	text --Parse--> syntax tree of one document, or the first fault with its line
//	tree --Open--> Document --Mapping, Value--> values with their paths and lines
//	Mapping --Read--> the fields of a struct, which says by its tags what its keys are and mean
//	struct --Write--> text that Read reads
//
// Such a struct is the only source on its keys. The reader finds unknown keys by it, and the reference pages are
// written from it (Keys). What is allowed in a good value is up to the package that has the struct; Document.Err
// gives its faults their lines.
//
// It also tells a file from a name, and says what a name may be (IsFile, IsName).
//
// Invariants: no text takes longer than linear time before the parser has it. Every fault has the line of its value,
// or of what should have it. A value with a fault has no second one.
package input
