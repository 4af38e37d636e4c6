package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// record is the folder with the kept results.
const record = "../../docs/records/006-real-queues/"

// recordedTables are the tables of the record that are made from kept results, by their files.
func recordedTables() map[string]benchmark {
	strongest := func(others ...string) []string { return slices.Concat([]string{"size-by-time"}, others) }
	late := []string{"kth", "kth-late", "nasa", "nasa-late"}
	return map[string]benchmark{
		"product":      {part: "report", policies: strongest("product"), overLoads: true},
		"product-all":  {part: "all", policies: strongest("product"), overLoads: true},
		"max-bypass":   {part: "choose", queues: late, policies: strongest("product", "guard-1", "guard-0.5", "guard-0.25"), overLoads: true},
		"claims":       {part: "choose", queues: []string{"V.2", "IV.2", "III.2", "ESP-2"}, policies: strongest("no-drain", "product")},
		"claims-bound": {part: "choose", queues: []string{"V.2", "IV.2", "ESP-2"}, policies: strongest("drain-1", "drain-1.5", "product", "drain-4")},
		"slurm-parameters": {part: "choose", queues: []string{"kth", "nasa"}, loads: []float64{0.9}, policies: []string{
			"whole-queue", "interval-5", "interval-120", "resolution-1", "resolution-600", "window-1d", "window-7d", "test-100", "delay-3",
			"reserve-1", "reserve-1-interval-5", "large", "small", "size-by-time", "size-by-time-age", "size-by-time-all",
		}},
		"former-choose":  {part: "choose", queues: []string{"kth", "nasa"}, loads: []float64{0.9}, policies: strongest("auction", "auction-value", "auction-interval-30")},
		"former-report":  {part: "report", queues: []string{"kth", "nasa", "phillips"}, policies: strongest("whole-queue", "auction")},
		"real-slurm":     {part: "report", policies: strongest("product"), results: record + "real-slurm.jsonl"},
		"real-slurm-all": {part: "all", policies: strongest("product"), results: record + "real-slurm.jsonl"},
		"slurm-parameters-real": {part: "choose", results: record + "real-slurm.jsonl", policies: []string{
			"whole-queue", "reserve-1-interval-5", "small", "size-by-time", "size-by-time-age",
		}},
	}
}

// The tables of the record, and what the benchmark says below them, follow from its results: UPDATE_RECORDS=1 writes them.
func TestRecordedTables(t *testing.T) {
	memory := filepath.Join(t.TempDir(), "results.jsonl")
	var cells []byte
	for _, part := range []string{"memory-traces.jsonl", "memory-workloads.jsonl"} {
		text, err := os.ReadFile(record + part)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, text...)
	}
	if err := os.WriteFile(memory, cells, 0o600); err != nil {
		t.Fatal(err)
	}
	compareTables(t, record, memory, recordedTables())
	var out bytes.Buffer
	b := benchmark{part: "all", results: memory, policies: []string{"size-by-time", "product"}}
	if err := b.decided(&out); err != nil {
		t.Fatal(err)
	}
	compareRecorded(t, record+"fairness.csv", commaSeparated(out.String()))
}

// The tables of the record on jobs that prefer their fewest nodes.
func TestRecordedPacking(t *testing.T) {
	const folder = "../../docs/records/045-packing/"
	all := benchmark{part: "report", policies: []string{"size-by-time", "product", "fewest-nodes"}}
	chose, beside := all, all
	chose.part, beside.policies = "choose", []string{"product", "fewest-nodes"}
	compareTables(t, folder, folder+"memory.jsonl", map[string]benchmark{"packing": all, "chose": chose, "beside": beside})
}

// compareTables compares the tables and notes of a record with what its results make. A table without a file of results
// has the given one.
func compareTables(t *testing.T, folder, results string, tables map[string]benchmark) {
	t.Helper()
	var notes strings.Builder
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		b := tables[name]
		if b.results == "" {
			b.results = results
		}
		var out bytes.Buffer
		if err := b.table(&out); err != nil {
			t.Fatal(err)
		}
		table, below, _ := strings.Cut(out.String(), "\n\n")
		compareRecorded(t, folder+name+".csv", commaSeparated(table))
		fmt.Fprintf(&notes, "%s.csv\n%s\n", name, below)
	}
	compareRecorded(t, folder+"notes.txt", notes.String())
}

// The record says which of its reporting windows had been in view: how many of their jobs are in windows on which something was
// chosen. Those that are still played share none with those that choose.
func TestWindowsInView(t *testing.T) {
	l, err := readList("")
	if err != nil {
		t.Fatal(err)
	}
	want := "queue,window,jobs,in view\n"
	for _, e := range l.Traces {
		for number := uint64(1); number <= uint64(e.Windows); number++ {
			if e.chooses(number) {
				continue
			}
			want += fmt.Sprintf("%s,%d,%d,%d\n", e.Name, number, e.Jobs, l.shared(e, number, func(traceEntry) bool { return true }))
			if now := l.shared(e, number, func(o traceEntry) bool { return o.Choose == "odd" }); l.plays(e, number) != (now == 0) {
				t.Errorf("%s, window %d: it shares %d jobs with a window that chooses", e.Name, number, now)
			}
		}
	}
	compareRecorded(t, record+"in-view.csv", want)
	for _, w := range l.Workloads {
		for _, seed := range w.Report {
			if slices.Contains(w.Choose, seed) {
				t.Errorf("%s: seed %d chooses and reports", w.Name, seed)
			}
		}
		for _, seed := range w.HeldOut {
			if slices.Contains(w.Choose, seed) || slices.Contains(w.Report, seed) {
				t.Errorf("%s: held-out seed %d is used before", w.Name, seed)
			}
		}
	}
}

// compareRecorded compares a file of the record with what its results make.
func compareRecorded(t *testing.T, file, want string) {
	t.Helper()
	if os.Getenv("UPDATE_RECORDS") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s has\n%swhich the results make\n%s", file, got, want)
	}
}

// commaSeparated makes CSV of a table in Markdown. A value with its interval becomes three columns.
func commaSeparated(markdown string) string {
	interval := regexp.MustCompile(`^(\S+) \((\S+) to (\S+)\)$`)
	lines := strings.Split(markdown, "\n")
	intervals := make([]bool, strings.Count(lines[0], "|"))
	rows := [][]string{}
	for i, line := range lines {
		if !strings.HasPrefix(line, "|") || i == 1 {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for j, cell := range cells {
			cell = strings.TrimSpace(cell)
			cells[j] = cell
			intervals[j] = intervals[j] || interval.MatchString(cell)
		}
		rows = append(rows, cells)
	}
	var text strings.Builder
	for i, cells := range rows {
		var out []string
		for j, cell := range cells {
			if cell = strings.ReplaceAll(cell, ",", ""); cell == "-" {
				cell = ""
			}
			switch found := interval.FindStringSubmatch(cell); {
			case !intervals[j]:
				out = append(out, cell)
			case i == 0:
				out = append(out, cell, cell+" low", cell+" high")
			case found == nil:
				out = append(out, cell, "", "")
			default:
				out = append(out, found[1:]...)
			}
		}
		text.WriteString(strings.Join(out, ",") + "\n")
	}
	return text.String()
}
