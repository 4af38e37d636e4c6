// Package text writes numbers and counts for people, in sentences and in cells of
// the report, and sets paragraphs, lists and commands in lines of a given width.
//
// Invariants:
//
//   - A number has about four significant digits and a real minus sign, so that the
//     terminal and the report say the same of the same run.
//   - What is unknown is [Nothing], never "NaN".
package text
