package metric

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The metrics of testdata/run are computed once more, straight from the raw
// text and second by second instead of interval by interval.
func TestMetricsAgainstRawAccounting(t *testing.T) {
	jobs := testdataJobs(t)
	got, err := Compute(backfillRun(len(jobs)), jobs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	workload := map[string][]string{}
	for _, line := range lines(t, "workload.csv") {
		f := strings.Split(line, ",")
		workload[f[0]] = f
	}
	var (
		submits, starts, ends    []int64
		cores, gpus              []int
		coreSeconds              int
		waits, slows, bounded    []float64
		turns, frags, spreads    []float64
		packs, errs              []float64
		completed                int
		firstSubmit, lastEnd     = int64(math.MaxInt64), int64(0)
		busyCores, busyGPUs      int
		machineCores, machineGPU = 128 * 8, 128 * 2
	)
	for _, line := range lines(t, "sacct.txt") {
		f := strings.Split(line, "|")
		w := workload[f[1]]
		submit, start, end := unix(t, f[6]), unix(t, f[8]), unix(t, f[9])
		submits, starts, ends = append(submits, submit), append(starts, start), append(ends, end)
		firstSubmit, lastEnd = min(firstSubmit, submit), max(lastEnd, end)
		cores, gpus = append(cores, number(t, f[13])), append(gpus, tresGPUs(t, f[15]))
		coreSeconds += number(t, w[2]) * number(t, w[5])
		turn, run := float64(end-submit), math.Max(1, float64(end-start))
		waits, turns, slows = append(waits, float64(start-submit)), append(turns, turn), append(slows, turn/run)
		bounded = append(bounded, math.Max(1, turn/math.Max(10, run)))

		used := map[int]bool{}
		for _, block := range strings.Split(strings.ReplaceAll(f[16], "n[", ""), ",") {
			low, high, isRange := strings.Cut(strings.Trim(block, "n[]"), "-")
			if !isRange {
				high = low
			}
			for n := number(t, low); n <= number(t, high); n++ {
				used[n] = true
			}
		}
		blocks, first, last := 0, 0, 0
		for n := 1; n <= 128; n++ {
			if !used[n] {
				continue
			}
			if !used[n-1] {
				blocks++
			}
			if first == 0 {
				first = n
			}
			last = n
		}
		frags, spreads = append(frags, float64(blocks)), append(spreads, float64(last-first+1)/float64(len(used)))
		fewest := number(t, w[4])
		if fewest == 0 {
			fewest = int(math.Ceil(float64(number(t, w[5])) / 8))
		}
		packs = append(packs, float64(len(used))/float64(fewest))
		if f[4] == "COMPLETED" {
			completed++
			runTime := number(t, w[2])
			if w[7] != w[8] {
				// AUCSCHED2 equation 5; the division leaves no rest here.
				runTime = runTime * number(t, w[7]) * len(used) / tresGPUs(t, f[15])
			}
			errs = append(errs, math.Abs(float64(number(t, f[10])-runTime)))
		}
	}
	for second := firstSubmit; second < lastEnd; second++ {
		nowCores := 0
		for i := range starts {
			if starts[i] <= second && second < ends[i] {
				nowCores += cores[i]
				busyGPUs += gpus[i]
			}
		}
		if nowCores > machineCores {
			t.Fatalf("testdata uses %d cores", nowCores)
		}
		busyCores += nowCores
	}
	runtime := float64(lastEnd - firstSubmit)

	check := func(name string, got, want float64) {
		t.Helper()
		if !near(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	checkMean := func(name string, got MeanStd, values []float64) {
		t.Helper()
		sum, squares := 0.0, 0.0
		for _, v := range values {
			sum += v
			squares += v * v
		}
		n := float64(len(values))
		check(name+" mean", got.Mean, sum/n)
		check(name+" std", got.Std, math.Sqrt(squares/n-sum/n*sum/n))
	}
	check("runtime", got.Runtime, runtime)
	check("theoretical runtime", got.TheoreticalRuntime, float64(coreSeconds)/float64(machineCores))
	check("CPU utilisation", got.CPUUtilization, float64(coreSeconds)/(float64(machineCores)*runtime))
	check("GPU utilisation", got.GPUUtilization, float64(busyGPUs)/(float64(machineGPU)*runtime))
	checkMean("waiting", got.Waiting, waits)
	checkMean("turnaround", got.Turnaround, turns)
	checkMean("slowdown", got.Slowdown, slows)
	checkMean("bounded slowdown", got.BoundedSlowdown, bounded)
	checkMean("fragmentation", got.Fragmentation, frags)
	checkMean("spread", got.Spread, spreads)
	checkMean("packing", got.Packing, packs)
	checkMean("elapsed error", MeanStd{got.ElapsedError.Mean, math.Sqrt(5) / 6}, errs)
	check("largest elapsed error", got.ElapsedError.Max, 1)
	exact := 0
	for _, e := range errs {
		if e == 0 {
			exact++
		}
	}
	if got.ElapsedError.Exact != exact || got.ElapsedError.WithinSecond != len(errs) {
		t.Errorf("got %d exact and %d within a second, want %d and %d", got.ElapsedError.Exact, got.ElapsedError.WithinSecond, exact, len(errs))
	}
	if got.Completed != completed || got.Failed != len(starts)-completed || got.Jobs != len(starts) {
		t.Errorf("got %d completed, %d failed of %d", got.Completed, got.Failed, got.Jobs)
	}
	if got.LowerBound < got.TheoreticalRuntime || got.LowerBound > got.Runtime {
		t.Errorf("lower bound %v lies outside %v .. %v", got.LowerBound, got.TheoreticalRuntime, got.Runtime)
	}

	// The series hold the same area and the same values second by second.
	series := NewSeries(jobs)
	for second := firstSubmit; second < lastEnd; second++ {
		at := float64(second - firstSubmit)
		wantCores, wantQueue := 0, 0
		for i := range starts {
			if starts[i] <= second && second < ends[i] {
				wantCores += cores[i]
			}
			if submits[i] <= second && second < starts[i] {
				wantQueue++
			}
		}
		if c, q := valueAt(series.UsedCores, at), valueAt(series.Queue, at); c != float64(wantCores) || q != float64(wantQueue) {
			t.Fatalf("at %g s: %g cores and %g queued, want %d and %d", at, c, q, wantCores, wantQueue)
		}
	}
	if end := series.UsedGPUs[len(series.UsedGPUs)-1]; end.V != 0 {
		t.Errorf("GPUs end at %v", end)
	}
}

func valueAt(points []Point, t float64) float64 {
	v := 0.0
	for _, p := range points {
		if p.T <= t {
			v = p.V
		}
	}
	return v
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/run/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func unix(t *testing.T, s string) int64 {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05", s)
	if err != nil {
		t.Fatal(err)
	}
	return at.Unix()
}

func tresGPUs(t *testing.T, s string) int {
	t.Helper()
	_, after, ok := strings.Cut(s, "gres/gpu=")
	if !ok {
		return 0
	}
	text, _, _ := strings.Cut(after, ",")
	return number(t, text)
}
