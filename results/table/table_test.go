package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

func ptr(v float64) *float64 { return &v }

// twoRuns are an auction and a backfill run with numbers of every kind.
func twoRuns() []metric.Metrics {
	backfill := metric.Metrics{
		SchemaVersion: 1, Policy: "backfill", Workload: "V.2", Machine: "S", Seed: 18446744073709551615,
		Clock: "scaled", TimeScale: 20, ThinkScale: 1, RealSeconds: 1107, Speed: ptr(20),
		ElapsedError: metric.ElapsedError{Mean: 0.4, Max: 2, Exact: 140, WithinSecond: 228},
		Jobs:         230, Completed: 230, TheoreticalRuntime: 15043.25, LowerBound: 17283, Makespan: 22140,
		CPUUtilization: 15043.25 / 22140, GPUUtilization: 1.0 / 3,
		PerJob: metric.PerJob{
			Waiting: metric.MeanStd{Mean: 6156, Std: 5364}, Slowdown: metric.MeanStd{Mean: 20.63, Std: 31.5},
			BoundedSlowdown: metric.MeanStd{Mean: 20.6, Std: 31.25}, Turnaround: metric.MeanStd{Mean: 6500, Std: 5400},
			Fragmentation: metric.MeanStd{Mean: 1.81, Std: 1.46}, Spread: metric.MeanStd{Mean: 2.62, Std: 3.64},
			Packing: metric.MeanStd{Mean: 1},
		},
		GPUFragmentation: &metric.GPUFragmentation{Gaps: 0.25, FGD: 0.5, Blocks: 1.5},
		Groups: []metric.Group{
			{By: "gpu", Name: "without GPUs", Jobs: 200, Started: 200, PerJob: metric.PerJob{Waiting: metric.MeanStd{Mean: 3600}}},
			{By: "gpu", Name: "with GPUs", Jobs: 30, Started: 29, PerJob: metric.PerJob{Waiting: metric.MeanStd{Mean: 7200, Std: 360}}},
			{By: "type", Name: "core", Jobs: 230, Started: 229},
		},
		Cycle: metric.CycleCost{Mean: ptr(0.0123), Max: ptr(0.25)},
	}
	auction := backfill
	auction.Policy, auction.Completed, auction.Failed = "auction", 229, 1
	auction.Makespan, auction.CPUUtilization = 20000, 15043.25/20000
	auction.Cycle = metric.CycleCost{}
	auction.Clock, auction.TimeScale, auction.ThinkScale, auction.RealSeconds, auction.Speed = "jump", 1, 4, 0, nil
	auction.Placement = &metric.PlacementCount{Checked: 230, Exact: 229}
	return []metric.Metrics{backfill, auction}
}

// TestRuns runs the scenarios of testdata/runs on the table of twoRuns. "fit width=N" is what a screen of N columns
// shows, with what it says above and how many columns it leaves out. wide, markdown, csv and json are the other
// forms.
func TestRuns(t *testing.T) {
	table, err := Runs(twoRuns())
	if err != nil {
		t.Fatal(err)
	}
	datadriven.RunTest(t, "testdata/runs", func(t *testing.T, d *datadriven.TestData) string {
		return written(t, d, table)
	})
}

// written is a table in the form that a scenario asks for.
func written(t *testing.T, d *datadriven.TestData, table Table) string {
	var b bytes.Buffer
	var err error
	switch d.Cmd {
	case "fit":
		var width int
		d.ScanArgs(t, "width", &width)
		view := table.Fit(width)
		err = view.WriteText(&b)
		fmt.Fprintf(&b, "%s; %d left out, complete %v\n", view.Common, view.Left, view.Complete)
	case "wide":
		err = table.Wide().WriteText(&b)
	case "markdown":
		err = table.Document().WriteMarkdown(&b)
	case "csv":
		err = table.WriteCSV(&b)
	case "json":
		err = table.WriteJSON(&b)
	default:
		d.Fatalf(t, "unknown command %s", d.Cmd)
	}
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return b.String()
}

// TestViews runs the scenarios of testdata/views on twoRuns, in the forms of TestRuns. They are all metrics side by
// side, the important ones of both runs or of the first alone with only=both or only=first, and groups of jobs with
// by=WAY.
func TestViews(t *testing.T) {
	datadriven.RunTest(t, "testdata/views", func(t *testing.T, d *datadriven.TestData) string {
		runs, measures := twoRuns(), metric.Measures()
		if d.HasArg("only") {
			var only string
			d.ScanArgs(t, "only", &only)
			if only == "first" {
				runs = runs[:1]
			}
			measures = Important(runs)
		}
		table, err := Measures(runs, measures)
		if d.HasArg("by") {
			var by string
			d.ScanArgs(t, "by", &by)
			table, err = Groups(runs, by)
		}
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return written(t, d, table)
	})
}

// Only runs of windows have a column of them, so that the tables of all others are as
// they were.
func TestWindowColumn(t *testing.T) {
	runs := twoRuns()
	for _, window := range []int{0, 3} {
		runs[1].Window = window
		table, err := Runs(runs)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err = table.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(b.String(), "machine,workload,policy,seed,window,clock,"); got != (window > 0) {
			t.Errorf("window %d: got %s", window, b.String())
		}
	}
}

// CSV keeps all digits: what is read is what was computed.
func TestCSVKeepsDigits(t *testing.T) {
	table, err := Runs(twoRuns())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err = table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for i, name := range records[0] {
		values[name] = records[1][i]
	}
	for name, want := range map[string]float64{
		"gpu_utilization_percent": 100 * twoRuns()[0].GPUUtilization, "makespan_h": 22140.0 / 3600, "cycle_mean_s": 0.0123, "waiting_std_h": 5364.0 / 3600,
	} {
		if got, err := strconv.ParseFloat(values[name], 64); err != nil || got != want {
			t.Errorf("%s: got %q, want %v", name, values[name], want)
		}
	}
	if values["seed"] != "18446744073709551615" || values["placement_exact"] != "" {
		t.Errorf("got seed %q, placement %q", values["seed"], values["placement_exact"])
	}
}

func TestRunsOfNothing(t *testing.T) {
	table, err := Runs(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	view := table.Fit(80)
	if err = view.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\nMachine  Workload  Policy  Seed") || len(view.Rows()) != 0 {
		t.Errorf("got %q", b.String())
	}
}

func TestNewFaults(t *testing.T) {
	frame, err := NewFrame([]string{"x"}, Word("a", func(s string) string { return s }))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		columns []Column
		want    string
	}{
		{[]Column{Words("A", "b")}, `make table: no column "b"`},
		{[]Column{MeanStds("A", "a", "b", 2)}, `make table: no column "b"`},
		{[]Column{Words("A", "a"), {Title: "A"}}, `two columns "A"`},
		{[]Column{Words("A", "a"), Words("B", "a")}, `two columns "a"`},
		{nil, "make table: no columns"},
	}
	for _, test := range tests {
		if _, err := New(frame, test.columns...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got error %v, want one with %q", err, test.want)
		}
	}
}

func TestFixed(t *testing.T) {
	for _, test := range []struct {
		v        float64
		decimals int
		want     string
	}{{1.005, 2, "1.00"}, {math.NaN(), 2, "-"}, {-0.001, 2, "0.00"}, {-0.01, 2, "-0.01"}, {0, 0, "0"}, {1e9, 1, "1000000000.0"}, {-10, 0, "-10"}} {
		if got := Fixed(test.v, test.decimals); got != test.want {
			t.Errorf("%g with %d decimals: got %q, want %q", test.v, test.decimals, got, test.want)
		}
	}
}

// Whatever the words are, every line of a text table is as wide as its columns,
// Markdown has the same number of bars in each line, and CSV reads back.
func TestFormsStayTables(t *testing.T) {
	type row struct {
		word  string
		value float64
	}
	words := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "rows")
		var rows []row
		for range n {
			rows = append(rows, row{words.Draw(t, "text"), rapid.Float64Range(-1e6, 1e6).Draw(t, "v")})
		}
		frame, err := NewFrame(rows, Word("word", func(r row) string { return r.word }), Number("value", func(r row) float64 { return r.value }))
		if err != nil {
			t.Fatal(err)
		}
		table, err := New(frame, Words("Word", "word"), Numbers("Value", "value", 2))
		if err != nil {
			t.Fatal(err)
		}
		var rendered, markdown, data bytes.Buffer
		if err = table.Wide().WriteText(&rendered); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(rendered.String(), "\n"), "\n")
		for _, line := range lines {
			if len(lines) != n+2 || text.Width(line) != text.Width(lines[0]) {
				t.Fatalf("got\n%s", rendered.String())
			}
		}
		if err = table.Wide().WriteMarkdown(&markdown); err != nil {
			t.Fatal(err)
		}
		lines = strings.Split(strings.TrimSuffix(markdown.String(), "\n"), "\n")
		for _, line := range lines {
			if len(lines) != n+2 || strings.Count(line, "|")-strings.Count(line, `\|`) != 3 {
				t.Fatalf("got\n%s", markdown.String())
			}
		}
		if err = table.WriteCSV(&data); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(&data).ReadAll()
		if err != nil || len(records) != n+1 {
			t.Fatalf("got %v, %v", records, err)
		}
		for i, r := range rows {
			if want := []string{clean(r.word), strconv.FormatFloat(r.value, 'f', -1, 64)}; !reflect.DeepEqual(records[i+1], want) {
				t.Fatalf("got %q, want %q", records[i+1], want)
			}
		}
	})
}

// A table of runs, or of groups of jobs, names the directories of runs that differ by their events alone.
func TestRunsAlikeAreNamed(t *testing.T) {
	one := metric.Metrics{Machine: "S", Workload: "V.2", Policy: "auction", Seed: 1, Name: "calm", Groups: []metric.Group{{By: "size", Name: "small", Jobs: 1, Started: 1}}}
	other := one
	other.Name = "drained"
	for name, tabulate := range map[string]func([]metric.Metrics) (Table, error){
		"runs":   Runs,
		"groups": func(m []metric.Metrics) (Table, error) { return Groups(m, "size") },
	} {
		for _, c := range []struct {
			runs  []metric.Metrics
			named bool
		}{{[]metric.Metrics{one, other}, true}, {[]metric.Metrics{one, one}, false}, {[]metric.Metrics{one}, false}} {
			made, err := tabulate(c.runs)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err = made.WriteCSV(&text); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(text.String(), "calm") && strings.Contains(text.String(), ",run,"); got != c.named {
				t.Errorf("%s: the table of %d runs names them: %v, want %v:\n%s", name, len(c.runs), got, c.named, text.String())
			}
		}
	}
}

// A name of a file is no formula to a program of spreadsheets.
func TestSheetHasNoFormula(t *testing.T) {
	runs := twoRuns()
	runs[0].Policy = "=1+cmd"
	table, err := Runs(runs)
	if err != nil {
		t.Fatal(err)
	}
	var raw, sheet bytes.Buffer
	if err = errors.Join(table.WriteCSV(&raw), table.WriteSheet(&sheet)); err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(raw.String(), "=1+cmd", "'=1+cmd"); want == raw.String() || sheet.String() != want {
		t.Errorf("got\n%s\nof\n%s", sheet.String(), raw.String())
	}
}
