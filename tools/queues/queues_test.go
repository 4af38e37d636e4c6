package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// TestOwnList: the list of this program can be read, its policies have names of their
// own, and a window either chooses settings or reports.
func TestOwnList(t *testing.T) {
	l, err := readList("")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, p := range l.Policies {
		if names[p.Name] {
			t.Errorf("two policies are named %s", p.Name)
		}
		names[p.Name] = true
	}
	chooses := map[string]map[bool]int{}
	for _, w := range l.windows("") {
		if chooses[w.Queue] == nil {
			chooses[w.Queue] = map[bool]int{}
		}
		chooses[w.Queue][w.chooses]++
	}
	for queue, n := range chooses {
		if n[false] < 5 {
			t.Errorf("%s has %d windows that report, want at least five", queue, n[false])
		}
	}
}

// TestBadList: an error says where the fault is.
func TestBadList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list.yaml")
	text := "loads: [0]\ntraces: [{name: a, format: swf, windows: 1, jobs: 1, choose: even}]\npolicies: [{name: p}, {name: q, auction: {objective: value, without: [luck], rule: {drain: -2, apart: {share: -1, limit: .nan}}}}, {name: r, by_value: true, auction: {objective: value}}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readList(file)
	if err == nil {
		t.Fatal("a bad list was read")
	}
	for _, want := range []string{"loads: got 0, allowed above 0", `trace a, choose: got "even", allowed odd, none or seen`, "policy p: allowed is one of backfill and auction",
		`policy q, without: got "luck", allowed [solver reservations pace class-r queue-bids]`, "policy r, by_value: got it, allowed with backfill alone",
		"policy q, rule, drain: got -2, allowed is a number from 0", "policy q, rule, apart, share: got -1, allowed from 0 to 10", "policy q, rule, apart, limit: got NaN"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

// TestAtLoad: the jobs' work is the load times what the machine does while they arrive.
func TestAtLoad(t *testing.T) {
	m := workloads.Machine{Nodes: 2, Cores: 4}
	jobs := atLoad(m, []workloads.Job{{Runtime: 100, Cores: 8}, {Arrival: 10, Runtime: 300, Cores: 8}}, 0.5)
	if got := jobs[1].Arrival; got != 800 {
		t.Errorf("the last job arrives at %d s, want 400 s of work at half load", got)
	}
}

// TestResume: what is in the results is not played again, and a table compares the two
// policies in the same windows.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	trace := ""
	for i := range 30 {
		trace += workloadLine(i)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.swf"), []byte("; Version: 2.2\n"+trace), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "list.yaml")
	text := `loads: [0.9]
traces: [{name: a, file: a.swf, format: swf, machine: {nodes: 4, cores: 1}, windows: 2, jobs: 15, choose: odd}]
policies: [{name: b, backfill: {}}, {name: o, auction: {interval: 5, objective: adaptive}}]
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := readList(file)
	if err != nil {
		t.Fatal(err)
	}
	b := benchmark{traces: dir, part: "all", results: filepath.Join(dir, "results.jsonl"), build: "0.1.0-test"}
	var first, second bytes.Buffer
	if err = b.playInto(context.Background(), l, nil, &first); err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(b.results, first.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := readResults(b.results)
	if err != nil || len(done) != 4 {
		t.Fatalf("%d cells, error %v, want 2 windows under 2 policies", len(done), err)
	}
	if err = b.playInto(context.Background(), l, done, &second); err != nil || second.Len() > 0 {
		t.Errorf("played again: %s, error %v", second.String(), err)
	}
	l.Policies[1].Auction.Rule = &ruleEntry{Drain: 3}
	if err = b.playInto(context.Background(), l, done, &second); err == nil || !strings.Contains(err.Error(), "policy o was played with interval=5,objective=adaptive,max_bypass=2, rule alike ") ||
		!strings.Contains(err.Error(), ", drain 3 now: rename it") || second.Len() > 0 {
		t.Errorf("another rule under the same name: %v, played %s", err, second.String())
	}
	if err = (benchmark{list: file, traces: dir, part: "report", jobs: 3}).write(filepath.Join(dir, "windows")); err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load(filepath.Join(dir, "windows", "a-2-0.9.csv"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := workloads.LoadMachine(filepath.Join(dir, "windows", "a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if written, jobsErr := w.Jobs(m, 1); jobsErr != nil || len(written) != 3 {
		t.Errorf("wrote %v, error %v, want the first three jobs of window 2", written, jobsErr)
	}
	var out bytes.Buffer
	b.policies = []string{"b", "o"}
	if err = b.table(&out); err != nil || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), "| o | a | 0.9 | 2 |") {
		t.Errorf("table %s, error %v", out.String(), err)
	}
	if want := "- b: bf_interval=30,bf_resolution=60,bf_window=2880,bf_max_job_test=5000,bf_job_part_count_reserve=0,sched_min_interval=0; 2 cells of build 0.1.0-test\n"; !strings.Contains(out.String(), want) {
		t.Errorf("table %s does not say %s", out.String(), want)
	}
}

// TestRealScript: real.sh runs each window under each policy with the machine of its queue, and leaves out what has its metrics.
func TestRealScript(t *testing.T) {
	dir := t.TempDir()
	windows, runs, calls := filepath.Join(dir, "windows"), filepath.Join(dir, "runs"), filepath.Join(dir, "calls")
	if err := os.Mkdir(windows, 0o755); err != nil {
		t.Fatal(err)
	}
	// It notes its arguments and makes the directory of the run; the eleventh of them is that of --out.
	program := "#!/bin/sh\necho \"$@\" >> " + calls + "\nmkdir -p \"${11}\"\ntouch \"${11}/metrics.json\"\n"
	for name, text := range map[string]string{"windows/kth-late-2-0.9.csv": "", "windows/nasa-2-0.9.csv": "", "slurmlab": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	play := func() {
		t.Helper()
		script := exec.Command("./real.sh", windows, runs, "--backend", "external")
		script.Env = append(os.Environ(), "SLURMLAB="+filepath.Join(dir, "slurmlab"), "POLICIES=backfill auction")
		if out, err := script.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	play()
	if err := os.Remove(filepath.Join(runs, "nasa-2-0.9-auction", "metrics.json")); err != nil {
		t.Fatal(err)
	}
	play()
	got, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, run := range [][2]string{{"kth-late", "backfill"}, {"kth-late", "auction"}, {"nasa", "backfill"}, {"nasa", "auction"}, {"nasa", "auction"}} {
		want += fmt.Sprintf("run --machine %[1]s/%[2]s.yaml --workload %[1]s/%[2]s-2-0.9.csv --policy-file %[1]s/policies.yaml --policy %[3]s --out %[4]s/%[2]s-2-0.9-%[3]s --backend external\n",
			windows, run[0], run[1], runs)
	}
	if string(got) != want {
		t.Errorf("called with\n%s, want\n%s", got, want)
	}
}

// TestOwnPolicies: slurmlab takes the written policies, and size-by-time is its policy backfill.
func TestOwnPolicies(t *testing.T) {
	dir := t.TempDir()
	if err := (benchmark{part: "report", queues: []string{"none"}}).write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "policies.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	if all, err = all.With("policies.yaml", text); err != nil {
		t.Fatal(err)
	}
	own, err := all.Find("size-by-time")
	if err != nil {
		t.Fatal(err)
	}
	backfill, err := all.Find(policy.Backfill)
	if err != nil {
		t.Fatal(err)
	}
	lines := func(p policy.Policy) string {
		return fmt.Sprint(p.Scheduler.Type, p.Scheduler.Parameters, slices.Sorted(slices.Values(p.Scheduler.PriorityLines(p.Priority))))
	}
	if lines(own) != lines(backfill) {
		t.Errorf("size-by-time is %s, backfill %s", lines(own), lines(backfill))
	}
}

// TestEntryOf: runs of slurmlab's own policies are known by their settings.
func TestEntryOf(t *testing.T) {
	l, err := readList("")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{policy.WholeQueue: "whole-queue", policy.Backfill: "size-by-time", policy.Auction: "product", "fifo": "", "ipsched": ""} {
		got := ""
		if at := l.entryOf(name); at >= 0 {
			got = l.Policies[at].Name
		}
		if got != want {
			t.Errorf("%s is %q in the list, want %q", name, got, want)
		}
	}
}

// TestSources: cells of one policy with two settings are of two policies. Cells from before settings were recorded
// are of an unknown build. A program that does not know its build plays nothing.
func TestSources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	text := `{"queue":"a","window":1,"policy":"b","waiting_s":1}` + "\n" + `{"queue":"a","window":1,"policy":"o","waiting_s":1}` + "\n" +
		`{"queue":"a","window":2,"policy":"o","waiting_s":1,"settings":"x=1","build":"0.1.0-a"}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := benchmark{results: file, part: "all", policies: []string{"b", "o"}}
	var out bytes.Buffer
	if err := b.table(&out); err != nil || !strings.Contains(out.String(), "- b: settings not recorded; 1 cell of build unknown\n- o: x=1; 1 cell of build 0.1.0-a; 1 cell of build unknown\n") {
		t.Errorf("%s, %v", out.String(), err)
	}
	text += `{"queue":"a","window":3,"policy":"o","waiting_s":1,"settings":"x=2","build":"0.1.0-a"}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.table(io.Discard); err == nil || !strings.Contains(err.Error(), "policy o has results of two settings, allowed one: x=1; and x=2") {
		t.Errorf("two settings: %v", err)
	}
	cmd := root("unbuilt")
	cmd.SetArgs([]string{"play", "--results", file})
	if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), "make it by: make queues") {
		t.Errorf("without a build: %v", err)
	}
}

// TestOverLoads: with --over-loads a window counts once, as the mean of its loads.
func TestOverLoads(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	text := ""
	for _, c := range []struct {
		policy string
		window int
		load   float64
		waits  float64
	}{{"b", 1, 0.7, 10}, {"b", 1, 1.1, 10}, {"b", 2, 0.7, 10}, {"o", 1, 0.7, 40}, {"o", 1, 1.1, 10}, {"o", 2, 0.7, 20}} {
		text += fmt.Sprintf(`{"queue":"a","window":%d,"load":%g,"policy":%q,"jobs":1,"waiting_s":%g}`+"\n", c.window, c.load, c.policy, c.waits)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for over, want := range map[bool]string{true: "| o | a | all | 2 | 2.00 (2.00 to 2.00) |", false: "| o | a | 0.7 | 2 | 2.83 ("} {
		var out bytes.Buffer
		b := benchmark{results: file, part: "all", policies: []string{"b", "o"}, overLoads: over}
		if err := b.table(&out); err != nil || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("over loads %v: %s, %v, want %s", over, out.String(), err, want)
		}
	}
}

// TestTold: a table says by the rule of package compare what is better, and what is not worse by its margin. By Holm the smaller of two probabilities counts twice. Utilisation of 0.9 to 0.89 of the first policy's is worse than its
// margin of 1 %, and a longest wait of 1.10 to 1.11 times as long than its margin of 10 %.
func TestTold(t *testing.T) {
	kth := group{queue: "kth", load: 0.9, policy: "o"}
	columns := columns()
	found := func(g group, c column, logs []float64) []finding { return find("base", g, c, logs) }
	waiting, utilisation, longest, busy := columns[0], columns[2], columns[7], columns[8]
	lower, higher := []float64{-0.1, -0.2, -0.3}, []float64{0.1, 0.2, 0.3}
	for name, test := range map[string]struct {
		found []finding
		want  string
	}{
		"nothing": {nil, "- o beside base: nothing is tested.\n"},
		"better": {
			slices.Concat(found(kth, waiting, []float64{-0.1, -0.1001, -0.1}), found(kth, utilisation, []float64{0.1, 0.1001, 0.1})),
			"- o beside base: o is better in waiting of kth at 0.9 by 9.5 % and utilisation of kth at 0.9 by 11 %. Test: Student's t of the logarithms of the ratios at 5 %, corrected by Holm for 2 figures.\n",
		},
		"chance":          {found(kth, waiting, higher), ": no difference is shown in 1 figure. Test:"},
		"alone":           {slices.Concat(found(kth, waiting, []float64{0.1, 0.2, 0.2}), found(kth, utilisation, []float64{0.1, -0.1, 0.05})), ": 1 figure differs only if it is judged alone, which may be chance; no difference is shown in 1 figure."},
		"together":        {slices.Concat(found(kth, waiting, lower), found(kth, utilisation, []float64{-0.1, -0.11, -0.1})), "base is better in utilisation of kth at 0.9 by 9.8 %;"},
		"not worse":       {found(kth, waiting, lower), "- o by margin, without correction: not worse in waiting of kth at 0.9; worse in none; open in none\n"},
		"open":            {found(kth, waiting, []float64{-0.1, 0.1, 0}), "not worse in none; worse in none; open in waiting of kth at 0.9\n"},
		"within":          {found(kth, utilisation, []float64{-0.005, -0.006, -0.005}), "not worse in utilisation of kth at 0.9; worse in none"},
		"longest wait":    {found(kth, longest, []float64{0.1, 0.1001, 0.1}), "worse in longest wait of kth at 0.9; open in none"},
		"without margins": {found(kth, columns[3], higher), "no difference is shown in 1 figure."},
		"not counted":     {found(kth, busy, []float64{0.1, 0.1001, 0.1}), "nothing is tested"},
		"a lone value":    {found(kth, waiting, []float64{0.1}), "nothing is tested"},
	} {
		if got := told("base", "o", test.found); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// TestMeasure: a run of a window that was written becomes a cell with its settings and build; another run is refused.
func TestMeasure(t *testing.T) {
	archive, err := zip.OpenReader("../../docs/records/papers/aucsched-table-5/S-V.2-auction-26.05-seed1.zip")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = archive.Close() })
	dir := t.TempDir()
	for _, f := range archive.File {
		in, openErr := f.Open()
		if openErr != nil {
			t.Fatal(openErr)
		}
		text, readErr := io.ReadAll(in)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err = os.WriteFile(filepath.Join(dir, f.Name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := benchmark{part: "all"}
	if err = b.measure(io.Discard, []string{dir}); err == nil || !strings.Contains(err.Error(), "got V.2 and auction, allowed QUEUE-WINDOW-LOAD") {
		t.Errorf("a run of V.2: %v", err)
	}
	file := filepath.Join(dir, "run.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(file, bytes.Replace(text, []byte(`"workload": "V.2"`), []byte(`"workload": "nasa-3-0.9"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err = b.measure(&out, []string{dir}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"queue":"nasa","window":3,"load":0.9,"policy":"product","chooses":true,"jobs":464,`, `"settings":"{\"method\":\"auction\",\"interval_ns\":5000000000,`, `, rule alike s^1.3 L^-1 wide^4, apart `, `"build":"0.1.0-`, `"slurm":"slurm-wlm 26.05`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s lacks %s", out.String(), want)
		}
	}
}

// workloadLine is a job of an SWF trace.
func workloadLine(i int) string {
	return fmt.Sprintf("%d %d 0 %d %d -1 -1 %d %d -1 1 %d 1 1 1 1 -1 -1\n", i+1, 20*i, 30+i%7*20, 1+i%4, 1+i%4, 60+i%7*60, 1+i%3)
}

// TestRatio: ratios of 1/2 and 2 have a geometric mean of 1.
func TestRatio(t *testing.T) {
	if got := ratio([]float64{math.Log(0.5), math.Log(2)}); !strings.HasPrefix(got, "1.00 (") {
		t.Errorf("got %s", got)
	}
}

// A flag that no cell meets would play nothing, and compare nothing, in silence.
func TestFlagsThatNoCellMeets(t *testing.T) {
	for _, c := range []struct {
		flags benchmark
		want  string
	}{
		{benchmark{part: "all"}, ""},
		{benchmark{part: "choose", queues: []string{"kth", "V.2"}, policies: []string{"auction"}, loads: []float64{0.9}}, ""},
		{benchmark{part: "chose"}, `--part: got "chose", allowed all, choose, report`},
		{benchmark{part: "all", queues: []string{"KTH"}}, `--queue: got "KTH", allowed kth, `},
		{benchmark{part: "all", policies: []string{"auctoin"}}, `--policy: got "auctoin", allowed `},
		{benchmark{part: "all", loads: []float64{0.8}}, "--load: got 0.8, allowed [0.7 0.9 1.1]"},
	} {
		err := c.flags.check()
		if (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.flags, err, c.want)
		}
	}
}

// TestPageCountsCells: docs/records says how many results it has.
func TestPageCountsCells(t *testing.T) {
	page, err := os.ReadFile(record + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"memory-traces.jsonl", "memory-workloads.jsonl", "real-slurm.jsonl"} {
		cells, err := readResults(record + file)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("(%s), %d cells", file, len(cells)); !strings.Contains(string(page), want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
}

// Windows with a value of 0 under either policy have no ratio. The table counts and names them; a column that nobody has is none.
func TestLeftOut(t *testing.T) {
	g := group{queue: "q", policy: "new"}
	waits := map[uint64][2]float64{1: {0, 5}, 2: {4, 2}, 3: {3, 0}}
	base := map[cell]figures{}
	var cells []cell
	for number := range uint64(3) {
		c := cell{Queue: "q", Window: number + 1, Load: 0.9, figures: figures{Waiting: waits[number+1][1]}}
		base[c.window()] = figures{Waiting: waits[number+1][0]}
		cells = append(cells, c)
	}
	got := leftOut(withoutRatio(g, columns()[0], base, cells))
	if want := "- 2 windows without a value, or with 0, under either policy are in no mean: waiting of q (windows 1 at 0.9, 3 at 0.9)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := leftOut(withoutRatio(g, columns()[3], base, cells)); got != "" {
		t.Errorf("fairness of a queue without users: got %q", got)
	}
}
