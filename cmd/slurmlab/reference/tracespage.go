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
		"swf": {"frontier"}, "helios": {"earth"}, "lassen": {"lassen"}, "philly": {"philly"}, "philly-json": {"philly"}, "acme": {"seren", "kalos"}, "alcf-aurora": {"aurora"}, "alcf-polaris": {"polaris"},
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

// endsOfTraces is what becomes of the states of traces.
func endsOfTraces() [][]string {
	return [][]string{
		{"sacct, Helios: COMPLETED, FAILED, OUT_OF_MEMORY, CANCELLED", "that outcome, after the time that the job ran"},
		{"TIMEOUT", "`timeout` at its limit. If the limit is unknown or above the run time: the run time in whole minutes"},
		{"CANCELLED before the start", "`cancelled_pending`, if `NCPUS` or `ReqTRES` has its size; else left out"},
		{"BadConstraints and DEADLINE before the start", "left out"},
		{"NODE_FAIL, BOOT_FAIL, PREEMPTED, others", "`failed` after the time that the job ran; left out if it never ran"},
		{"SWF status 0", "`failed`"},
		{"SWF status 1 or unknown", "`completed`"},
		{"SWF status 5", "`cancelled`; with run time 0 and a wait time `cancelled_pending` after that time"},
		{"Batsim, Philly", "`completed`; slurmlab's Batsim files have the outcome in `extra_data`"},
	}
}

// columnsOfSacct is what becomes of the columns of a dump.
func columnsOfSacct() [][]string {
	return [][]string{
		{"Partition, `-p batch,gpu` of SubmitLine", "`partition`: `batch&gpu`, without those that the machine lacks"},
		{"NCPUS", "cores: divided by `threads` of the partition's nodes, rounded up on each node"},
		{"ReqMem `4000Mn`, `4Gc` (Slurm up to 20.11)", "`mem_per_node`, `mem_per_cpu`"},
		{"ReqMem `8000M`, else `mem` of ReqTRES: of the whole job", "`mem_per_node`; `mem_per_cpu` if the nodes do not divide the cores"},
		{"ReqMem `0n`, `0c`, `0`", "none; ignored if the job was given some"},
		{"Constraints `a&b`, `a|b`", "`features`; other forms, such as `[rack1*2]`, are ignored"},
		{"`gres/gpu:a100=2` of ReqTRES (not AllocTRES)", "`gpu_type`"},
		{"`gres/shard=4`, `gres/mps=50` of ReqTRES, else of AllocTRES", "`shards`, `mps`; a whole GPU on each node, counted, if the machine has none"},
		{"SegmentSize (Slurm 25.05 and later), else `--segment=4` of SubmitLine", "`segment` if it fits into the machine's blocks; else ignored"},
		{"`--switches=1` of SubmitLine", "`switches` if the machine's leaf switches have so many nodes; else ignored, as is a time (`1@10:00`)"},
		{"QOS", "`qos` if the machine has it. The import names others; their jobs get their account's default"},
		{"Licenses `matlab:2,ansys`, Reservation", "`licenses`, `reservation`"},
		{"Account", "`account`; without User also the `user`"},
		{"Eligible, over a second after Submit", "`begin_after_s`, unless Reason is `Dependency`. Without Reason, dependencies count as begin times"},
		{"JobID `117_4`, `--array=0-9%2` of SubmitLine", "`array`: `117%2`, or `117` without a known limit"},
		{"JobID `24+1` (heterogeneous)", "a job by itself; the common start is ignored"},
		{"dependencies", "nothing: sacct has none. slurmlab's Batsim files have them"},
	}
}

// traceFormats is the page of the formats that "workload import" reads.
func traceFormats() ([]byte, error) {
	w := newPage("Formats of traces",
		"What `slurmlab workload import --format FORMAT` reads. [Import](../import.md) shows how.")
	w.paragraph("A licence is the one that its publisher names. Look at the source before you pass a trace on. A machine file has the nodes of the traced cluster, with their source.")
	var rows [][]string
	var commands strings.Builder
	command := func(name, trace, flags string) {
		_, _ = fmt.Fprintf(&commands, "slurmlab workload import %s --format %s%s --machine %[4]ssmall.yaml --out %[2]s.csv && slurmlab compare --machine %[4]ssmall.yaml --workload %[2]s.csv --policies backfill,auction --out %[2]s\n",
			trace, name, flags, smallTraces)
	}
	for _, d := range interchange.Describe() {
		rows = append(rows, []string{code(d.Name), text(d.Title), text(d.Columns), licence(d), cmp.Or(text(d.Citation), "-"), machinesOf(d.Name)})
		command(d.Name, smallTrace(d.Name), "")
	}
	command("csv", smallTraces+"csv.txt", " --columns "+smallTraces+"columns.yaml")
	w.table([]string{"format", "what it is", "columns that are read", "licence", "citation", "machine file"}, rows)
	w.paragraph("The columns of any other table are named in a file (`--format csv --columns FILE`). In parentheses stands the meaning of a column in such a file.")
	w.heading(2, "How jobs ended")
	w.paragraph("With `--all-complete` every job that ran becomes `completed`, and all others are left out. Otherwise [jobs end](../my-jobs.md#how-jobs-end) as in the trace:")
	w.table([]string{"trace", "becomes"}, endsOfTraces())
	w.heading(2, "Where, when and for whom jobs of a sacct dump run")
	w.paragraph("[Where](../my-jobs.md#where-jobs-run), [when and for whom](../my-jobs.md#when-and-for-whom-jobs-run) jobs run is imported as far as the [machine has such things](../machines.md):")
	w.table([]string{"dump", "becomes"}, columnsOfSacct())
	w.heading(2, "From a trace to a comparison")
	w.paragraph("`examples/traces` has an invented trace of six jobs in each format. One command of each line imports it, the other compares two policies on its jobs. For a published trace take its machine file.")
	w.verbatim(commands.String())
	return w.bytes(), nil
}
