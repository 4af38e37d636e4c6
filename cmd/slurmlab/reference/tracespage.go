package main

import (
	"cmp"

	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// traceFormats is the page of the formats that "workload import" reads.
func traceFormats() ([]byte, error) {
	w := newPage("Formats of traces",
		"What `slurmlab workload import --format FORMAT` reads. [Import](../import.md) shows what becomes of each value.")
	w.paragraph("Two commands lead from a trace of any format to a comparison of two policies, here for `acme`:")
	w.verbatim("slurmlab workload import trace_seren.csv --format acme --machine cluster.yaml --out jobs.csv\n" +
		"slurmlab compare --machine cluster.yaml --workload jobs.csv --policies backfill,auction\n")
	w.paragraph("A licence is named where its publisher names one. Look at the source before you pass a trace on.")
	var rows [][]string
	for _, d := range interchange.Describe() {
		rows = append(rows, []string{code(d.Name), text(d.Title), text(d.Columns), cmp.Or(text(d.Licence), "-"), cmp.Or(text(d.Citation), "-")})
	}
	w.table([]string{"format", "what it is", "columns that are read", "licence", "citation"}, rows)
	w.paragraph("The columns of any other table are named in a file (`--format csv --columns FILE`). In parentheses stands the meaning of a column in such a file.")
	return w.bytes(), nil
}
