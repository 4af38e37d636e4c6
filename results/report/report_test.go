package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// TestOutline writes reports and prints what their reader meets, in order.
//
//	run id=ID policy=P jobs=N [gap=S] [seed=N] [jump]  adds a complete run whose
//	                                 jobs each lose gap seconds before their
//	                                 start; with jump, it is under a jump clock
//	stopped id=ID policy=P status=incomplete|failed  adds a run without metrics;
//	                                 the input is its reason
//	outline [title=T] [table]        writes the report about the runs so far and
//	                                 forgets them; with table, one is given
func TestOutline(t *testing.T) {
	var in Input
	datadriven.RunTest(t, "testdata/outline", func(t *testing.T, d *datadriven.TestData) string {
		var id, policy, status string
		var jobs, gap, seed int
		switch d.Cmd {
		case "run":
			d.ScanArgs(t, "id", &id)
			d.ScanArgs(t, "policy", &policy)
			d.ScanArgs(t, "jobs", &jobs)
			if d.HasArg("gap") {
				d.ScanArgs(t, "gap", &gap)
			}
			r := completeRun(t, id, policy, jobs, float64(gap))
			if d.HasArg("seed") {
				d.ScanArgs(t, "seed", &seed)
				r.Run.Seed = uint64(seed)
				r.Workload = []byte(strconv.Itoa(seed))
			}
			if d.HasArg("jump") {
				underJumpClock(&r)
			}
			compute(t, &r)
			in.Runs = append(in.Runs, r)
			return ""
		case "stopped":
			d.ScanArgs(t, "id", &id)
			d.ScanArgs(t, "policy", &policy)
			d.ScanArgs(t, "status", &status)
			in.Runs = append(in.Runs, incompleteRun(id, policy, trace.Status(status), d.Input))
			return ""
		case "outline":
			if d.HasArg("title") {
				d.ScanArgs(t, "title", &in.Title)
			}
			if d.HasArg("table") {
				in.Tables = []Table{Table{Caption: "Paired differences", Rows: [][]Cell{{word("Waiting time h"), number("−0.51")}}}.withHeader("Metric", "Difference")}
			}
			text := outline(write(t, in))
			in = Input{}
			return text
		default:
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		}
	})
}

// The pictures come first, then the metrics, the runs, and what the metrics mean.
func TestOrderOfSections(t *testing.T) {
	root := write(t, pair(t))
	var order []string
	for _, s := range root.all("section") {
		order = append(order, s.attr["id"]+s.attr["class"])
	}
	if got := strings.Join(order, " "); got != "pictured comparison run-1run run-2run definitions" {
		t.Errorf("sections %q", got)
	}
	main := root.all("main")[0]
	if first := main.all("table")[0]; first.attr["class"] != "compared" {
		t.Errorf("the first table has the class %q", first.attr["class"])
	}
	if n := len(root.all("svg")); n != 5 {
		t.Errorf("%d pictures, want 5", n)
	}
}

// Every field of run.json is on the page under its name there.
func TestProvenanceIsComplete(t *testing.T) {
	in := pair(t)
	underJumpClock(&in.Runs[0])
	in.Runs[0].Run.FullConfiguration, in.Runs[1].Run.FullConfiguration = "Z", "Z"
	in.Runs[0].Run.SlurmSources = []string{"slurmctld 26.05.5-1 sha256:2296"}
	in.Runs[0].Run.Continues = &trace.Continued{Checkpoint: "0123", Run: "past", Time: 60}
	in.Runs[0].Run.Window, in.Runs[0].Run.Windows = 2, 6
	data, err := json.Marshal(in.Runs[0].Run)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	shown := make(map[string]bool)
	for _, c := range write(t, in).all("code") {
		shown[c.words()] = true
	}
	for name := range fields {
		if !shown[name] {
			t.Errorf("field %s of run.json is not on the page", name)
		}
	}
}

// Every number of metrics.json is on the page.
func TestMetricsAreComplete(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	ms := func(v float64) metric.MeanStd { return metric.MeanStd{Mean: v, Std: v + 0.25} }
	hours := func(v float64) metric.MeanStd { return metric.MeanStd{Mean: 3600 * v, Std: 3600 * (v + 0.25)} }
	in := pair(t)
	in.Runs = in.Runs[1:]
	in.Runs[0].Metrics = &metric.Metrics{
		Jobs: 211, Completed: 199, Failed: 12, TheoreticalRuntime: 1001 * 3600, LowerBound: 1002 * 3600, Makespan: 1003 * 3600,
		CPUUtilization: 0.104, GPUUtilization: 0.105,
		PerJob: metric.PerJob{
			Waiting: hours(1.5), Slowdown: ms(2.5), BoundedSlowdown: ms(3.5), Turnaround: hours(4.5),
			Fragmentation: ms(5.5), Spread: ms(6.5), Packing: ms(7.5),
		},
		GPUFragmentation: &metric.GPUFragmentation{Gaps: 0.041, FGD: 0.042, Blocks: 4.3}, UserFairness: f(0.944),
		Cycle:     metric.CycleCost{Mean: f(0.021), P99: f(0.022), Max: f(0.023)},
		Placement: &metric.PlacementCount{Checked: 187, Exact: 186}, ElapsedError: metric.ElapsedError{Mean: 0.031, Max: 0.032, Exact: 177, WithinSecond: 188},
		RealSeconds: 1017, Speed: f(0.986),
		ArrivalLagMax: 0.033,
	}
	words := write(t, in).words()
	for _, want := range []string{
		"Completed jobs [jobs] 199 of 211", "complete 12 failed jobs", "12 jobs did not end as planned", "[h] 1001", "[h] 1002", "[h] 1003", "10.4 %", "10.5 %",
		"[h] 1.500 ± 1.750", "2.500 ± 2.750", "3.500 ± 3.750", "[h] 4.500 ± 4.750", "[blocks] 5.500 ± 5.750",
		"6.500 ± 6.750", "7.500 ± 7.750", "0.041", "4.2 %", "[blocks] 4.300", "0.944", "[real s] 0.021", "[real s] 0.022", "[real s] 0.023", "186 of 187 checked (99.5 %)",
		"largest 0.032 s, mean 0.031 s; of 199 completed jobs 177 exact, 188 within 1 s", "0.033 s",
		"[real s] 1017", "0.986 virtual seconds per real second (3610800 s in 1017 s)",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in %q", want, words)
		}
	}
}

func TestIncompleteRunHasNoMetrics(t *testing.T) {
	in := pair(t)
	in.Runs[1] = incompleteRun("r2", "auction", trace.StatusFailed, "slurmctld ended: signal killed")
	in.Runs[1].Cycles = cyclesOf(in.Runs[0].Jobs[:3])
	root := write(t, in)
	section := root.find(func(n *node) bool { return n.attr["id"] == "run-2" })[0]
	words := section.words()
	for _, want := range []string{"failed", "The run is failed and has no metrics: slurmctld ended: signal killed", "Cycles of the agent"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in %q", want, words)
		}
	}
	if strings.Contains(words, "Fidelity") {
		t.Error("the failed run has metrics")
	}
	table := root.class("compared").rows()
	if head := table[0][2]; !strings.Contains(head, "failed") || len(table[0]) != 3 {
		t.Errorf("columns %q: want the failed run marked and no difference", table[0])
	}
	for _, row := range table[1:] {
		if row[2] != nothing {
			t.Errorf("the failed run has %s %s", row[0], row[2])
		}
	}
	for _, svg := range root.all("svg") {
		if strings.Contains(svg.words(), "auction") {
			t.Error("the failed run is drawn")
		}
	}
}

// Runs of other jobs or on another machine have no difference.
func TestOnlyTheSameWorkIsCompared(t *testing.T) {
	for name, change := range map[string]func(*metric.Result){
		"jobs":    func(r *metric.Result) { r.Workload = []byte("other") },
		"machine": func(r *metric.Result) { r.Run.Machine.GPUs = 3 },
	} {
		in := pair(t)
		if columns := len(write(t, in).class("compared").rows()[0]); columns != 4 {
			t.Fatalf("%d columns, want metric, two runs and difference", columns)
		}
		change(&in.Runs[1])
		root := write(t, in)
		if columns := len(root.class("compared").rows()[0]); columns != 3 {
			t.Errorf("other %s: %d columns, want no difference", name, columns)
		}
		if n := len(root.find(func(n *node) bool { return n.attr["class"] == "pictured" })); n != 2 {
			t.Errorf("other %s: %d groups of pictures, want 2", name, n)
		}
	}
}

// Lists of jobs are cut, and what is cut is counted.
func TestLongLists(t *testing.T) {
	r := completeRun(t, "r1", "auction", 60, 0)
	for i := range r.Jobs {
		r.Jobs[i].State = "CANCELLED"
		r.Cycles[i+1].Checked[0] = trace.Placement{Job: i + 1, Planned: "n1 8", Actual: "n2 8"}
	}
	compute(t, &r)
	root := write(t, Input{Runs: []metric.Result{r}})
	for _, class := range []string{"mismatches", "failed"} {
		table := root.find(func(n *node) bool { return n.name == "table" && n.attr["class"] == class })[0]
		if n := len(table.rows()); n != 51 {
			t.Errorf("%s: %d rows, want a head and 50", class, n)
		}
	}
	if n := strings.Count(root.words(), "… and 10 more."); n != 2 {
		t.Errorf("%d lists say how many are left out, want 2", n)
	}
}

// Whatever a run contains is text on the page, never markup.
func TestEscaping(t *testing.T) {
	evil := `"><script>alert(1)</script><img src=x onerror='x'>&`
	in := Input{
		Title:  evil,
		Tables: []Table{{Caption: evil, Header: []Cell{word(evil)}, Rows: [][]Cell{{word(evil)}}}},
		Runs:   []metric.Result{completeRun(t, evil, evil, 5, 0), incompleteRun(evil, evil, trace.StatusFailed, evil)},
	}
	r := &in.Runs[0]
	r.Path, r.Run.Workload, r.Run.Machine.Name, r.Run.ImageID = evil, evil, evil, evil
	r.Run.WorkloadSpec, r.Run.Parameters = json.RawMessage(`{"a":"</pre><script>"}`), json.RawMessage(evil)
	r.Jobs[0].State = evil
	r.Cycles[1].Checked[0] = trace.Placement{Job: 1, Planned: evil, Actual: evil}
	r.Cycles[1].Refused = []trace.Refusal{{Job: 1, Reason: evil}}
	r.Cycles[1].Solver = evil
	compute(t, r)
	root := write(t, in)
	if got := root.all("h1")[0].words(); got != strings.Join(strings.Fields(evil), " ") {
		t.Errorf("title %q", got)
	}
	if got := root.class("mismatches").rows()[1][2]; !strings.Contains(got, "<script>") {
		t.Errorf("planned %q", got)
	}
}

// replicated is a pair of runs and its replica of another seed, of which the page shows
// only the numbers.
func replicated(t *testing.T) Input {
	t.Helper()
	in := pair(t)
	in.Replicas = [][]metric.Result{{in.Runs[0]}, {in.Runs[1]}}
	for i, id := range []string{"r3", "r4"} {
		r := completeRun(t, id, in.Runs[i].Run.Policy, 190, 0)
		r.Run.Seed, r.Workload = 2, []byte("other")
		compute(t, &r)
		in.Replicas[i] = append(in.Replicas[i], r)
	}
	return in
}

// All replicas are drawn above the comparison of the first ones; a policy without
// runs cannot be.
func TestReplicasAreDrawn(t *testing.T) {
	in := replicated(t)
	figures := write(t, in).all("section")[0].all("figure")
	if len(figures) != 1 || !strings.Contains(figures[0].words(), "Metrics over replicas: backfill, auction") {
		t.Errorf("got %d pictures", len(figures))
	}
	in.Replicas[1] = nil
	if err := Write(io.Discard, in); err == nil || !strings.Contains(err.Error(), "replicas of a side: want complete runs") {
		t.Errorf("got error %v", err)
	}
}

// Where replicas are compared the page counts all of them, and says which are shown one
// by one (issue 14, line 4).
func TestReplicasAreCounted(t *testing.T) {
	in := replicated(t)
	in.Replicas[1][1].Cycles[3].BidsCut = 7
	words := write(t, in).words()
	for _, want := range []string{
		"4 runs, 2 of each policy, of workload V.2 (190 to 200 jobs) on machine S: 128 nodes of 8 cores and 2 GPUs. Shown one by one are those of seed 1.",
		"The runs of seed 1 alone: the table above has all replicas.",
		"r4: The limit on bids dropped 7 bids",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if strings.Contains(words, "One run of each policy") {
		t.Error("the page denies its replicas")
	}
	in = replicated(t)
	for _, side := range in.Replicas {
		for i := range side {
			side[i].Run.Window, side[i].Run.Windows = i+1, 2
		}
	}
	in.Runs = []metric.Result{in.Replicas[0][0], in.Replicas[1][0]}
	if words = write(t, in).words(); !strings.Contains(words, "Shown one by one are those of window 1 of 2.") {
		t.Error("the page does not name the window")
	}
}

// Slurm's scheduler has nothing to decide under a policy with an agent, whatever
// slurm.conf says of it.
func TestIdleSchedulerHasNoParameters(t *testing.T) {
	r := completeRun(t, "r1", "auction", 20, 0)
	r.Run.SchedulerType, r.Run.SchedulerParameters = "sched/builtin", "bf_window=2880"
	words := write(t, Input{Runs: []metric.Result{r}}).words()
	if !strings.Contains(words, "scheduler_type idle: the agent of the policy schedules scheduler_parameters – ") {
		t.Error("the page does not say that Slurm's scheduler is idle")
	}
	if strings.Contains(words, "bf_window") {
		t.Error("the page has parameters of backfill")
	}
}

// A run from a checkpoint names the run before.
func TestContinuedRun(t *testing.T) {
	r := completeRun(t, "r1", "fifo", 20, 0)
	r.Run.Continues = &trace.Continued{Run: "past", Time: 600.02}
	if words := write(t, Input{Runs: []metric.Result{r}}).words(); !strings.Contains(words, " continues past from 10 min 0 s ") {
		t.Error("the page does not name the run before and its end")
	}
}

func TestReplicas(t *testing.T) {
	var in Input
	for seed := range 2 {
		for _, policy := range []string{"backfill", "auction"} {
			r := completeRun(t, fmt.Sprintf("%s-%d", policy, seed), policy, 20, 0)
			r.Run.Seed, r.Workload = uint64(seed), []byte{byte(seed)}
			compute(t, &r)
			in.Runs = append(in.Runs, r)
		}
	}
	again := completeRun(t, "auction-again", "auction", 20, 0)
	again.Run.Seed, again.Workload = 1, []byte{1}
	in.Runs = append(in.Runs, again)
	root := write(t, in)
	groups := root.find(func(n *node) bool { return n.attr["class"] == "pictured" })
	if len(groups) != 2 {
		t.Fatalf("%d groups of pictures, want one per seed", len(groups))
	}
	for i, want := range []string{
		"Gantt chart, nodes by time: backfill, auction",
		"Gantt chart, nodes by time: backfill, auction (auction-1), auction (auction-again)",
	} {
		if got := groups[i].all("svg")[0].all("title")[0].words(); got != want {
			t.Errorf("group %d: %q, want %q", i, got, want)
		}
		if folded := groups[i].all("details") != nil; folded != (i > 0) {
			t.Errorf("group %d: folded %v", i, folded)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFaults(t *testing.T) {
	good := pair(t)
	noMetrics, withMetrics, outside := completeRun(t, "a", "auction", 3, 0), completeRun(t, "b", "auction", 3, 0), completeRun(t, "c", "auction", 3, 0)
	noMetrics.Metrics = nil
	withMetrics.Run.Status = trace.StatusIncomplete
	outside.Jobs[0].Allocated = []int{500}
	for _, c := range []struct {
		name string
		w    io.Writer
		in   Input
		want []string
	}{
		{"no runs", io.Discard, Input{}, []string{"write report: no runs"}},
		{"metrics", io.Discard, Input{Runs: []metric.Result{noMetrics, withMetrics}},
			[]string{"run a is complete and has no metrics", "run b is incomplete and has metrics"}},
		{"table", io.Discard, Input{Runs: good.Runs, Tables: []Table{{Caption: "t", Header: []Cell{word("a"), word("b")}, Rows: [][]Cell{{word("1")}}}}},
			[]string{`table "t" row 1 has 1 cells, want 2`}},
		{"picture", io.Discard, Input{Runs: []metric.Result{outside}}, []string{`schedule "auction": job 1: node index 500`}},
		{"disk", fullDisk{}, good, []string{"write page: no space left"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Write(c.w, c.in)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
}

// Under one policy the two machines are compared, in one group of pictures, and the headings name them.
func TestTwoMachinesAreCompared(t *testing.T) {
	in := pair(t)
	for i := range in.Runs {
		in.Runs[i].Run.Policy, in.Runs[i].Metrics.Policy = "backfill", "backfill"
		in.Runs[i].Run.Parameters = nil
	}
	in.Runs[1].Run.Machine.Name, in.Runs[1].Metrics.Machine = "larger", "larger"
	root := write(t, in)
	head := root.class("compared").rows()[0]
	if len(head) != 4 || !strings.Contains(head[2], "backfill, larger") || !strings.Contains(head[3], "larger against "+in.Runs[0].Run.Machine.Name) {
		t.Errorf("got columns %q", head)
	}
	if n := len(root.find(func(n *node) bool { return n.attr["class"] == "pictured" })); n != 1 {
		t.Errorf("%d groups of pictures, want 1", n)
	}
	for _, warning := range WarningsOfRuns(in.Runs) {
		if strings.Contains(warning, "machine") {
			t.Errorf("got warning %q", warning)
		}
	}
}

// A folder without a complete run does not speak of pairs.
func TestFindingsWithoutRuns(t *testing.T) {
	for runs, want := range map[int]string{
		0: "No run is complete, so that nothing is compared.",
		1: "No two runs with the same jobs differ in policy, machine or events, so that nothing is compared.",
	} {
		f := Folder{Runs: make([]metric.Result, runs)}
		if got := f.Findings(nil); !slices.Equal(got, []string{want}) {
			t.Errorf("%d runs: got %q, want %q", runs, got, want)
		}
	}
}
