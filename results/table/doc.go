// Package table computes with and prints the metrics of runs: frames of typed
// values to join and group, and tables for a terminal, a spreadsheet and a
// document. Only this package imports github.com/go-gota/gota.
//
// # Flow
//
//	things --NewFrame--> Frame --Join, Where, Select--> Frame --GroupBy--> numbers of each group
//	                       |
//	                       +--New, with Columns--> Table --WriteCSV, WriteJSON-->
//	                                                 |
//	                                                 +--Fit, Document, Wide--> View --WriteText, WriteMarkdown-->
//
// A [Frame] holds words and numbers and knows no format. [Long] is the frame of runs that package compare joins (runs
// of the same seed, runs and published figures) and groups (the replicas of a policy). A [Column] of a [Table] says
// what people see of the values in a row; it is asked when the table is written. A [View] is what people see of a
// table: the columns that fit a screen, the page's columns, or all.
//
// [Runs] makes the table of the papers: one row per run. [Measures] has a row per metric, [Groups] the jobs of a run
// in groups, [Definitions] what metrics mean. All are made from metric.Measures. [FitRuns] chooses between Runs and
// Measures by the number of runs and the width. [View.Header] and [View.Rows] give the cells to other writers.
//
// # Invariants
//
//   - gota gets the type of each column, since it would guess. Its errors, which
//     it keeps in its frames, are returned at once. It prints nothing: its floats
//     would have six decimals.
//   - Joins keep the order of the rows. Groups come as a map, without an order.
//   - A seed is a word, for it may have more digits than a number. Columns that no
//     table prints have names that begin with a point.
//   - No line of a text is longer than the screen unless its only column is. A wider
//     screen shows what a narrower one does, and more. CSV and JSON have everything.
//   - People's forms show rounded numbers and the unit in the heading, "-" for
//     unknown. CSV has one value per column under a name that ends with the
//     unit, with all its digits, and is empty for unknown; JSON has null there.
//   - No colour, no locale, no map order: the same metrics give the same bytes.
package table
