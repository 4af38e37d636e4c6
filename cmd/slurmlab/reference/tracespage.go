package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// Where the small traces are, and the machines of the published ones.
const (
	smallTraces   = "examples/traces/"
	traceMachines = smallTraces + "machines/"
)

// licence names the licence of a published trace. A format that anybody writes has none.
func licence(d interchange.Described) string {
	if d.Citation == "" {
		return "-"
	}
	return cmp.Or(text(d.Licence), "not stated")
}

// machinesOf links to the machine files of the cluster that a trace is of.
func machinesOf(format string) string {
	of := map[string][]string{
		"swf": {"frontier"}, "philly": {"philly"}, "philly-json": {"philly"}, "acme": {"seren", "kalos"}, "alcf-aurora": {"aurora"}, "alcf-polaris": {"polaris"},
		"alibaba-spot": {"alibaba-spot"}, "f-data": {"fugaku"}, "kestrel": {"kestrel"}, "openb": {"openb"}, "pm100": {"marconi100"}, "supercloud": {"supercloud"},
	}
	var links []string
	for _, name := range of[format] {
		links = append(links, fmt.Sprintf("[%s](../../%s%s.yaml)", name, traceMachines, name))
	}
	return cmp.Or(strings.Join(links, ", "), "-")
}

// smallTrace is the small trace of a format.
func smallTrace(format string) string {
	ending := map[string]string{
		"swf": ".swf", "sacct": ".txt", "batsim": ".json", "philly-json": ".json", "f-data": ".parquet", "kestrel": ".parquet", "pm100": ".parquet",
	}[format]
	return smallTraces + format + cmp.Or(ending, ".csv")
}

// traceFormats is the page of the formats that "workload import" reads.
func traceFormats() ([]byte, error) {
	w := newPage("Formats of traces",
		"What `slurmlab workload import --format FORMAT` reads. [Import](../import.md) shows what becomes of each value.")
	w.paragraph("A licence is the one that its publisher names. Look at the source before you pass a trace on. A machine file has the nodes of the traced cluster, with their source.")
	var rows [][]string
	var commands strings.Builder
	for _, d := range interchange.Describe() {
		rows = append(rows, []string{code(d.Name), text(d.Title), text(d.Columns), licence(d), cmp.Or(text(d.Citation), "-"), machinesOf(d.Name)})
		_, _ = fmt.Fprintf(&commands, "slurmlab workload import %s --format %s --machine %[3]ssmall.yaml --out %[2]s.csv && slurmlab compare --machine %[3]ssmall.yaml --workload %[2]s.csv --policies backfill,auction --out %[2]s\n",
			smallTrace(d.Name), d.Name, smallTraces)
	}
	w.table([]string{"format", "what it is", "columns that are read", "licence", "citation", "machine file"}, rows)
	w.paragraph("The columns of any other table are named in a file (`--format csv --columns FILE`). In parentheses stands the meaning of a column in such a file.")
	w.heading(2, "From a trace to a comparison")
	w.paragraph("`examples/traces` has an invented trace of six jobs in each format. One command of each line imports it, the other compares two policies on its jobs. For a published trace take its machine file.")
	w.verbatim(commands.String())
	return w.bytes(), nil
}
