// Package table turns metrics into tables for a terminal, a spreadsheet and a
// document. It is the only package that imports gota.
//
// # Flow
//
// [Runs] makes the table of the papers: one row per run. [Measures] has a row
// per metric, [Groups] the jobs of a run in groups, [Definitions] what metrics
// mean; all are made from metric.Measures. [New] makes a table of any columns. A [Table] is written with [Table.WriteText] (aligned, for a
// terminal), [Table.WriteMarkdown] and [Table.WriteCSV]; [Table.Header] and
// [Table.Rows] give the cells to other writers.
//
// # Invariants
//
//   - Cells are formatted by this package before gota sees them, and all gota
//     columns are of strings: gota would guess types and print floats with six
//     decimals.
//   - People's forms show rounded numbers and the unit in the heading, "-" for
//     unknown. CSV has one value per column under a name that ends with the
//     unit, with all its digits, and is empty for unknown.
//   - No colour, no locale, no map order: the same metrics give the same bytes.
package table
