package compare

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

func run(policy string, seed uint64, runtimeHours float64) metric.Result {
	cycle := 0.25
	return metric.Result{
		Data: trace.Data{
			Run: trace.Run{
				ID: policy, Status: trace.StatusComplete, Jobs: 230,
				Settings: trace.Settings{
					Policy: policy, Seed: seed, Workload: "V.2", Machine: workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2},
					Clock: "scaled", TimeScale: 20, ThinkScale: 1, SlurmVersion: "24.11.5",
				},
			},
			Workload: []byte{byte(seed)},
		},
		Metrics: &metric.Metrics{
			Policy: policy, Seed: seed, Workload: "V.2", Machine: "S", Jobs: 230,
			Makespan: runtimeHours * 3600, CPUUtilization: 4 / runtimeHours, GPUUtilization: 0.5,
			PerJob: metric.PerJob{
				Waiting: metric.MeanStd{Mean: 7200, Std: 1}, Slowdown: metric.MeanStd{Mean: 20}, BoundedSlowdown: metric.MeanStd{Mean: 19},
				Fragmentation: metric.MeanStd{Mean: 2}, Spread: metric.MeanStd{Mean: 3}, Packing: metric.MeanStd{Mean: 1},
			},
			Cycle: metric.CycleCost{Mean: &cycle},
		},
	}
}

// runs makes one run per runtime, with seeds 1, 2, ...
func runs(policy string, hours ...float64) []metric.Result {
	list := make([]metric.Result, len(hours))
	for i, h := range hours {
		list[i] = run(policy, uint64(i+1), h)
	}
	return list
}

func find(t *testing.T, c Comparison, name string) MetricDifference {
	t.Helper()
	for _, d := range c.Differences {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no %s in %+v", name, c.Differences)
	return MetricDifference{}
}

// verdictOn is the verdict on a metric when all are counted.
func verdictOn(t *testing.T, c Comparison, name string) string {
	t.Helper()
	for i, d := range c.Differences {
		if d.Name == name {
			return c.Evidence()[i].Verdict
		}
	}
	t.Fatalf("no %s in %+v", name, c.Differences)
	return ""
}

// Differences -1, -2, -3 h: mean -2, sample deviation 1, t(2) = 4.302653 as in
// every printed table of Student's t.
func TestInterval(t *testing.T) {
	c, err := Compare(runs("backfill", 6, 7, 8), runs("auction", 5, 5, 5))
	if err != nil {
		t.Fatal(err)
	}
	d := find(t, c, "makespan_h")
	half := 4.302653 / math.Sqrt(3)
	if math.Abs(d.A-7) > 1e-9 || math.Abs(d.B-5) > 1e-9 || math.Abs(d.Mean+2) > 1e-9 ||
		math.Abs(d.Interval.Low-(-2-half)) > 1e-5 || math.Abs(d.Interval.High-(-2+half)) > 1e-5 {
		t.Errorf("got %+v, interval %+v", d, *d.Interval)
	}
	// The interval includes zero: better, but not surely so.
	if d.Better != "auction" || d.Sure {
		t.Errorf("got better %q, sure %v", d.Better, d.Sure)
	}
	if c.A != "backfill" || c.B != "auction" || c.Machine != "S" || c.Workload != "V.2" || !reflect.DeepEqual(c.Seeds, []uint64{1, 2, 3}) {
		t.Errorf("got %+v", c)
	}
}

// repeat gives all runs the same jobs.
func repeat(side []metric.Result) {
	for i := range side {
		side[i].Workload = []byte("jobs")
	}
}

// cut makes the runs, of different jobs, windows of one trace.
func cut(side []metric.Result) {
	for i := range side {
		side[i].Run.Seed, side[i].Metrics.Seed = 1, 1
		side[i].Run.Window, side[i].Metrics.Window = i+1, i+1
		side[i].Run.Windows = len(side)
	}
}

// Runs of the same jobs are no sample of workloads, so that they have no interval,
// whatever their seeds; what they have is the noise from run to run. Of two equal
// pairs the interval was [0.001, 0.001] and the winner certain (issue 14, line 1).
func TestRepetitionsHaveNoInterval(t *testing.T) {
	a, b := runs("backfill", 6, 6.5, 7), runs("auction", 5, 5, 6.25)
	repeat(a)
	repeat(b)
	c, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	d := find(t, c, "makespan_h")
	if c.Kind != Repetitions || d.Interval != nil || d.Sure || d.Needed != 0 || d.Better != "auction" {
		t.Errorf("got %s, %+v", c.Kind, d)
	}
	if d.RangeA != (Range{6, 7}) || d.RangeB != (Range{5, 6.25}) || verdictOn(t, c, d.Name) != "within noise" {
		t.Errorf("got ranges %v and %v, verdict %q", d.RangeA, d.RangeB, verdictOn(t, c, d.Name))
	}
	// Noise alone puts 3 and 3 runs apart in 1 of 10 cases, 4 and 4 in 1 of 35.
	a, b = runs("backfill", 6, 6.5, 7, 6.75), runs("auction", 5, 5, 5.75, 5.5)
	repeat(a)
	repeat(b)
	for n, want := range map[int]string{3: "no difference shown", 4: "auction, on these jobs"} {
		if c, err = Compare(a[:n], b[:n]); err != nil {
			t.Fatal(err)
		}
		if got := verdictOn(t, c, "makespan_h"); got != want {
			t.Errorf("%d repetitions apart: got verdict %q, want %q", n, got, want)
		}
	}
}

// Two seeds of a list have the same jobs, so that one of them too many makes the
// interval one over fewer workloads than it says.
func TestOneWorkloadTwice(t *testing.T) {
	a, b := runs("backfill", 6, 6.5, 7), runs("auction", 5, 5, 6.25)
	repeat(a[:2])
	repeat(b[:2])
	if c, err := Compare(a, b); err != nil || c.Kind != Repetitions {
		t.Errorf("got %s, %v", c.Kind, err)
	}
}

// Equal differences have an interval of a point, which proves no more than their signs:
// as many as six are needed (issue 14, line 1).
func TestEqualDifferencesAreFew(t *testing.T) {
	for n, sure := range map[int]bool{2: false, 5: false, 6: true} {
		// Sums of tenths are equal but for their last digits.
		a, b := runs("backfill", 0.3, 0.7, 1.1, 1.6, 2.2, 3.1), runs("auction", 0.2, 0.6, 1.0, 1.5, 2.1, 3.0)
		c, err := Compare(a[:n], b[:n])
		if err != nil {
			t.Fatal(err)
		}
		d := find(t, c, "makespan_h")
		want := map[bool]string{true: "auction, by 6.7 %, or chance", false: "no difference shown"}[sure]
		needed, asked := c.needed(d)
		if d.Sure != sure || verdictOn(t, c, d.Name) != want || asked == sure || asked && needed != enoughSigns {
			t.Errorf("%d equal differences: got %+v, verdict %q, want %q, needed %d", n, d, verdictOn(t, c, d.Name), want, needed)
		}
	}
}

// Windows are paired by their number; windows of another cut are no replicas.
func TestWindows(t *testing.T) {
	a, b := runs("backfill", 6, 7, 8), runs("auction", 5.9, 6.91, 7.9)
	cut(a)
	cut(b)
	b[0], b[2] = b[2], b[0]
	c, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if d := find(t, c, "makespan_h"); c.Kind != Windows || !d.Sure || !reflect.DeepEqual(c.Windows, []int{1, 2, 3}) {
		t.Errorf("got %+v, interval %+v", c, d.Interval)
	}
	a[1].Run.Windows, b[1].Run.Windows = 4, 4
	if _, err = Compare(a, b); err == nil || !strings.Contains(err.Error(), "they differ in windows (3 and 4)") {
		t.Errorf("windows of another cut: got error %v", err)
	}
}

// Less runtime is better, more utilisation is better; replicas pair by seed,
// not by position.
func TestDirectionAndPairing(t *testing.T) {
	b := runs("auction", 5.9, 6.91, 7.9)
	b[0], b[2] = b[2], b[0]
	c, err := Compare(runs("backfill", 6, 7, 8), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"makespan_h", "cpu_utilization_percent"} {
		if d := find(t, c, name); d.Better != "auction" || !d.Sure {
			t.Errorf("%s: got %+v, interval %+v", name, d, *d.Interval)
		}
	}
	if d := find(t, c, "spread_mean"); d.Better != "" || d.Sure || *d.Interval != (Interval{}) {
		t.Errorf("equal spread: got %+v", d)
	}
}

func TestOneReplica(t *testing.T) {
	c, err := Compare(runs("backfill", 6), runs("auction", 5))
	if err != nil {
		t.Fatal(err)
	}
	if d := find(t, c, "makespan_h"); d.Interval != nil || d.Sure || d.Better != "auction" || d.Mean != -1 {
		t.Errorf("got %+v", d)
	}
}

// What is unknown in one run is not compared; nor are GPUs that do not exist.
func TestUnknownMeasures(t *testing.T) {
	a, b := runs("backfill", 6, 7), runs("auction", 5, 6)
	a[1].Metrics.Cycle = metric.CycleCost{}
	for _, side := range [][]metric.Result{a, b} {
		for i := range side {
			side[i].Run.Machine.GPUs = 0
		}
	}
	c, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Differences {
		if d.Name == "cycle_mean_s" || d.Name == "gpu_utilization_percent" {
			t.Errorf("got %+v", d)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	tests := []struct {
		name string
		edit func(a, b []metric.Result) ([]metric.Result, []metric.Result)
		want string
	}{
		{"nothing", func(a, _ []metric.Result) ([]metric.Result, []metric.Result) { return a, nil }, "got 2 runs against 0"},
		{"incomplete", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[1].Run.Status, b[1].Run.Reason = trace.StatusIncomplete, "interrupted"
			return a, b
		}, "run auction is incomplete: interrupted"},
		{"other metrics", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { b[1].Metrics.Seed = 9; return a, b }, "its metrics are of another run"},
		{"same policy", func(a, _ []metric.Result) ([]metric.Result, []metric.Result) { return a, a }, "both sides have policy backfill"},
		{"other seeds", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { return a, b[:1] }, "policy backfill has seeds [1 2], policy auction has seeds [1]"},
		{"a seed twice", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { a[1], b[1] = a[0], b[0]; return a, b }, "a replica is there twice: seeds [1 1]"},
		{"other machine", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			for i := range b {
				b[i].Run.Machine.Nodes = 256
			}
			return a, b
		}, "seed 1: runs backfill and auction differ in machine.nodes (128 and 256)"},
		{"other machine in a replica", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[1].Run.Machine.Cores = 12
			return a, b
		}, "run auction is no replica of run auction: they differ in machine.cores (8 and 12)"},
		{"another priority in a replica", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[1].Run.PriorityType = "priority/multifactor"
			return a, b
		}, `is no replica of run auction: they differ in priority_type (absent and "priority/multifactor")`},
		{"another line of slurm.conf in a replica", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[0].Run.SlurmSettings = map[string]string{"KillWait": "60", "OverTimeLimit": "5"}
			b[1].Run.SlurmSettings = map[string]string{"KillWait": "30", "OverTimeLimit": "5"}
			return a, b
		}, `is no replica of run auction: they differ in slurm_settings.KillWait ("60" and "30")`},
		{"other parameters in a replica", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[1].Run.Parameters = []byte("{}")
			return a, b
		}, "is no replica of run auction: they differ in policy_parameters (absent and {})"},
		{"other jobs", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[0].Workload = []byte("x")
			return a, b
		}, "seed 1: runs backfill and auction differ in workload.csv (sha256 4bf5122f and sha256 2d711642)"},
		{"other time scale", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { b[0].Run.TimeScale = 10; return a, b }, "seed 1: runs backfill and auction differ in time_scale (20 and 10)"},
		{"other clock", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { b[0].Run.Clock = "jump"; return a, b }, `seed 1: runs backfill and auction differ in clock ("scaled" and "jump")`},
		{"other think scale", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			a[1].Run.Clock, b[1].Run.Clock, b[1].Run.ThinkScale = "jump", "jump", 4
			return a, b
		}, "seed 2: runs backfill and auction differ in think_scale (1 and 4)"},
		{"other Slurm", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[0].Run.SlurmVersion = "24.11.4"
			return a, b
		}, `differ in slurm_version ("24.11.5" and "24.11.4")`},
		{"other full configuration", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			for i := range b {
				b[i].Run.FullConfiguration = "Z"
			}
			return a, b
		}, `seed 1: runs backfill and auction differ in full_configuration (absent and "Z")`},
		{"full configuration in a replica", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			a[1].Run.FullConfiguration, b[1].Run.FullConfiguration = "Z", "Z"
			return a, b
		}, "run backfill is no replica of run backfill: they differ in full_configuration"},
		{"no metrics", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { b[1].Metrics = nil; return a, b }, "run auction has no metrics"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := Compare(test.edit(runs("backfill", 6, 7), runs("auction", 5, 6)))
			if err == nil || !strings.Contains(err.Error(), test.want) || c.Differences != nil {
				t.Errorf("got error %v\nwant one with %q", err, test.want)
			}
		})
	}
}

// Exchanging the policies turns every difference round and changes no verdict.
func TestCompareIsAntisymmetric(t *testing.T) {
	hours := rapid.SliceOfN(rapid.Float64Range(1, 100), 4, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := runs("backfill", hours.Draw(t, "a")...), runs("auction", hours.Draw(t, "b")...)
		ab, err := Compare(a, b)
		if err != nil {
			t.Fatal(err)
		}
		ba, err := Compare(b, a)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range ab.Differences {
			e := ba.Differences[i]
			if d.Mean != -e.Mean || d.Better != e.Better || d.Sure != e.Sure || d.Interval.Low != -e.Interval.High || d.Interval.Low > d.Mean || d.Mean > d.Interval.High {
				t.Fatalf("%+v and %+v", d, e)
			}
		}
	})
}

// The interval holds the true mean in 95 % of all experiments: 4000 experiments
// of 5 normal values, so that the share lies within 0.95 ± 0.014 (four standard
// errors).
func TestIntervalCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const experiments = 4000
	held := 0
	for range experiments {
		values := make([]float64, 5)
		for i := range values {
			values[i] = 3 + 2*random.NormFloat64()
		}
		if _, i := MeanInterval(values); i.Low <= 3 && 3 <= i.High {
			held++
		}
	}
	if share := float64(held) / experiments; math.Abs(share-confidence) > 0.014 {
		t.Errorf("the interval holds the mean in %g of the experiments", share)
	}
}

// TestTable runs the scenarios of testdata/table: replicas=N takes the first N
// seeds, the command is the form, or summary. With repetitions all seeds have the same
// jobs, with windows the replicas are windows of one trace.
func TestTable(t *testing.T) {
	datadriven.RunTest(t, "testdata/table", func(t *testing.T, d *datadriven.TestData) string {
		var n int
		d.ScanArgs(t, "replicas", &n)
		sides := [][]metric.Result{runs("backfill", 6, 7, 8, 6.5)[:n], runs("auction", 5.5, 6.25, 7.5, 6.5)[:n]}
		for _, side := range sides {
			if d.HasArg("repetitions") {
				repeat(side)
			}
			if d.HasArg("windows") {
				cut(side)
			}
		}
		c, err := Compare(sides[0], sides[1])
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		if d.Cmd == "summary" {
			return c.Summary() + "\n"
		}
		table, err := c.Table(false)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		write, ok := map[string]func(io.Writer) error{
			"text": table.Fit(120).WriteText, "narrow": table.Fit(80).WriteText, "csv": table.WriteCSV, "markdown": table.Document().WriteMarkdown,
		}[d.Cmd]
		if !ok {
			d.Fatalf(t, "unknown command %s", d.Cmd)
		}
		var b bytes.Buffer
		if err := write(&b); err != nil {
			d.Fatalf(t, "%v", err)
		}
		return b.String()
	})
}

// Jobs that did not end as planned come with the answer, wherever it is printed.
func TestSummaryTellsOfFailedJobs(t *testing.T) {
	a, b := runs("backfill", 6, 6.5), runs("auction", 5, 5.5)
	plain, err := Compare(a, b)
	if err != nil || strings.Contains(plain.Summary(), "planned") {
		t.Fatalf("got %q, %v", plain.Summary(), err)
	}
	a[1].Metrics.Failed, b[0].Metrics.Failed = 1, 2
	c, err := Compare(a, b)
	want := " 3 of the 920 jobs of all runs did not end as planned: what they did not do is missing from every metric."
	if err != nil || !strings.HasSuffix(c.Summary(), want) {
		t.Errorf("got %q, %v, want %q at the end", c.Summary(), err, want)
	}
	never := 2
	a[0].Metrics.NeverStarted = &never
	if c, err = Compare(a, b); err != nil || !strings.HasSuffix(c.Summary(), want+" 2 of the 920 jobs of all runs never started: their waits are censored, and in no mean.") {
		t.Errorf("got %q, %v", c.Summary(), err)
	}
	if d := find(t, c, "failed"); d.A != 0.5 || d.B != 1 {
		t.Errorf("failed jobs: got %g and %g, want 0.5 and 1", d.A, d.B)
	}
}

// A row of hours for people is in minutes below an hour and in seconds below a minute, by the larger mean, and says so. A wait
// of half a minute would read 0.008 otherwise. CSV keeps its unit.
func TestUnitOfARow(t *testing.T) {
	for _, test := range []struct {
		key     string
		a, b    float64
		heading string
		scale   float64
	}{
		{"waiting_s", 1, 0.2, "Waiting time h", 1},
		{"waiting_s", 0.99, 0.2, "Waiting time min", 60},
		{"waiting_s", 0.001, 1.0 / 60, "Waiting time min", 60},
		{"waiting_s", 0.016, 0.001, "Waiting time s", 3600},
		{"waiting_s", 0, 0, "Waiting time h", 1},
		{"makespan_s", 0.5, 0.4, "Makespan min", 60},
		{"slowdown", 0.5, 0.4, "Slowdown", 1},
	} {
		d := Comparison{}.difference(metric.FindMeasure(test.key), []float64{test.a}, []float64{test.b})
		if heading, scale := d.shown(); heading != test.heading || scale != test.scale {
			t.Errorf("%s of %g and %g: got %q times %g, want %q times %g", test.key, test.a, test.b, heading, scale, test.heading, test.scale)
		}
	}
}
