package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// files is the page of the files of a run, with their columns and keys.
func files() ([]byte, error) {
	w := newPage("Files, columns and keys of a run",
		"What the files of a [run directory](../run-directory.md) hold, name by name. Seconds are virtual unless their meaning says real.")
	var faults []error
	part := func(file, about, head string, names []string, meanings map[string]string) {
		rows, err := described(file, names, meanings)
		faults = append(faults, err)
		w.heading(2, file)
		w.paragraph(about)
		w.table([]string{head, "meaning"}, rows)
	}
	columns, meanings := workloads.AboutColumns()
	part("workload.csv", "The jobs as the workload asks for them, one row each; 0 means that a job does not ask for it. The columns from "+
		"`user` on are there only if a job needs them. [Your jobs](../my-jobs.md) says how to write such a file.",
		"column", columns, meanings)
	part("events.csv", "What [happens to the cluster](../events.md) during the run, in the order of time; the file is missing without events.",
		"column", events.Columns(), map[string]string{
			"at_s": "when, in seconds since the start of the run", "event": events.AnyKind(), "nodes": "the nodes, such as `n[1-2]`",
			"reason": "the reason that Slurm gets", "setting": "what follows `scontrol update` in an update, and what changes in a modify",
		})
	part("jobs.csv", "The jobs as they ran, one row each: the 17 columns that Batsim writes, in its order, and then ours. Times count from the "+
		"first submission; -1 means unknown, or that a job never started.",
		"column", trace.JobsColumns(), jobMeanings())
	series, err := seriesColumns()
	faults = append(faults, err)
	part("series.csv", "A row for each instant at which something changes; its values hold until the next row.", "column", series, seriesMeanings())
	part("run.json", "What was asked of the run, what it ran on, and what came of it. A key that ends with `[]` is a list; what stands behind a dot is "+
		"a key of the object before it.",
		"key", keys(reflect.TypeFor[trace.Run](), "", objects()), runMeanings())
	part("cycles.jsonl", "A line of JSON for each cycle of the agent; the file is missing under Slurm's own schedulers.",
		"key", keys(reflect.TypeFor[trace.Cycle](), "", nil), cycleMeanings())
	part("progress.jsonl", "What is known of the jobs of a run that is not complete, a line of JSON for each look at Slurm's logs that found something, "+
		"and now and then for one that did not. The file goes when the run is complete.",
		"key", keys(reflect.TypeFor[trace.Progress](), "", nil), progressMeanings())
	compared, err := comparisonColumns()
	faults = append(faults, err)
	part("comparison.csv", "Beside the runs of a [campaign](../campaigns.md) or of [compare](../compare.md): a row for each metric, pair of policies, machine, workload and backend.",
		"column", compared, comparisonMeanings())
	w.heading(2, "metrics.json and runs.csv")
	w.paragraph("The metrics, with unit, definition and source, and their names in both files, are on a [page of their own](../metrics.md).")
	w.heading(2, "sacct.txt and sdiag.txt")
	w.paragraph("What Slurm printed, never edited; sacct(1) and sdiag(1) explain it. The first line of `sacct.txt` names the columns. A `JobName` is the " +
		"`job_id` of the workload.")
	return w.bytes(), errors.Join(faults...)
}

// seriesColumns is the header of an empty series.
func seriesColumns() ([]string, error) {
	var b bytes.Buffer
	err := metric.WriteSeries(&b, metric.Series{})
	return strings.Split(strings.TrimSpace(b.String()), ","), err
}

// comparisonColumns is the header of a comparison without rows.
func comparisonColumns() ([]string, error) {
	t, err := compare.GroupTable(nil, false)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.WriteCSV(&b)
	return strings.Split(strings.TrimSpace(b.String()), ","), err
}

// objects are types of run.json that have a page of their own.
func objects() []reflect.Type { return []reflect.Type{reflect.TypeFor[workloads.Machine]()} }

// keys returns the keys of a struct in JSON, each before the keys within it: "restarts[].daemon". Of the types in
// whole only the key is listed.
func keys(t reflect.Type, prefix string, whole []reflect.Type) []string {
	var list []string
	for field := range t.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" {
			continue // It is in no file.
		}
		if field.Anonymous && key == "" {
			list = append(list, keys(field.Type, prefix, whole)...)
			continue
		}
		within := field.Type
		name := prefix + key
		for within.Kind() == reflect.Pointer || within.Kind() == reflect.Slice && within != reflect.TypeFor[json.RawMessage]() {
			if within.Kind() == reflect.Slice {
				name += "[]"
			}
			within = within.Elem()
		}
		list = append(list, name)
		if within.Kind() != reflect.Struct || within == reflect.TypeFor[time.Time]() || slices.Contains(whole, within) {
			continue
		}
		list = append(list, keys(within, name+".", whole)...)
	}
	return list
}
