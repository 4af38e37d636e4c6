package plot

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

func drawLoad(schedules ...Schedule) func(io.Writer) error {
	return func(w io.Writer) error { return Load(w, schedules...) }
}

func drawECDF(schedules ...Schedule) func(io.Writer) error {
	return func(w io.Writer) error { return WaitingECDF(w, schedules...) }
}

// vertices returns the points of the line with the most points of a colour: a
// line of a legend has two and comes later.
func vertices(t rapid.TB, p picture, i int) [][2]float64 {
	t.Helper()
	longest := ""
	for _, s := range p.strokes(hex(lineColours()[i])) {
		if longest == "" || strings.Count(s.d, "L") > strings.Count(longest, "L") {
			longest = s.d
		}
	}
	var out [][2]float64
	for _, m := range regexp.MustCompile(`[ML]([-\d.]+),([-\d.]+)`).FindAllStringSubmatch(longest, -1) {
		x, errX := strconv.ParseFloat(m[1], 64)
		y, errY := strconv.ParseFloat(m[2], 64)
		if errX != nil || errY != nil {
			t.Fatalf("path %q: point %q", longest, m[0])
		}
		out = append(out, [2]float64{x, y})
	}
	return out
}

func isSteps(points [][2]float64) error {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if b[0] < a[0] || a[0] != b[0] && a[1] != b[1] {
			return fmt.Errorf("line from %v to %v is no step", a, b)
		}
	}
	return nil
}

func TestLoadPanels(t *testing.T) {
	m := workloads.Machine{Name: "tiny", Nodes: 2, Cores: 2, GPUs: 1}
	noGPU := workloads.Machine{Name: "cpu", Nodes: 2, Cores: 2}
	jobs := []trace.FinishedJob{job(1, 0, 50, 2, 0, 0), job(2, 50, 100, 4, 0, 0, 1)}
	for _, c := range []struct {
		name   string
		s      []Schedule
		want   []string
		absent []string
	}{
		{"one policy", []Schedule{{"auction", m, jobs}},
			[]string{"Utilisation", "CPU cores", "GPUs", "in use [%]", "Queue length", "waiting jobs", "time since the first submission [s]"},
			[]string{"CPU utilisation", "auction"}},
		{"one policy without GPUs", []Schedule{{"auction", noGPU, jobs}}, []string{"CPU cores"}, []string{"GPUs"}},
		{"two policies", []Schedule{{"backfill", m, jobs}, {"auction", m, jobs}},
			[]string{"CPU utilisation", "GPU utilisation", "Queue length", "backfill", "auction", "cores in use [%]", "GPUs in use [%]"},
			[]string{"Utilisation"}},
		{"two policies without GPUs", []Schedule{{"backfill", noGPU, jobs}, {"auction", noGPU, jobs}},
			[]string{"CPU utilisation"}, []string{"GPU utilisation"}},
		{"no jobs", []Schedule{{"auction", m, nil}}, []string{"Utilisation", "Queue length"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := look(t, drawLoad(c.s...))
			for _, want := range c.want {
				if !p.has(want) {
					t.Errorf("text %q is missing in %q", want, p.texts)
				}
			}
			for _, absent := range c.absent {
				if p.has(absent) {
					t.Errorf("text %q is there", absent)
				}
			}
		})
	}
}

// A half used machine is drawn half way up, a full one at the top, and the line
// ends at the bottom.
func TestLoadHeights(t *testing.T) {
	m := workloads.Machine{Nodes: 2, Cores: 2}
	p := look(t, drawLoad(Schedule{"p", m, []trace.FinishedJob{job(1, 0, 50, 2, 0, 0), job(2, 50, 100, 4, 0, 0, 1)}}))
	points := vertices(t, p, 1)
	if err := isSteps(points); err != nil {
		t.Fatal(err)
	}
	if len(points) != 5 {
		t.Fatalf("%d points %v, want 5", len(points), points)
	}
	half, full, none := points[0][1], points[2][1], points[4][1]
	if math.Abs(half-(full+none)/2) > 0.2 || full <= half {
		t.Errorf("heights %g, %g, %g of half, full and no use", half, full, none)
	}
	if middle := (points[0][0] + points[4][0]) / 2; math.Abs(points[1][0]-middle) > 0.2 {
		t.Errorf("the step is at %g, want %g", points[1][0], middle)
	}
}

// However long the queue and however many its steps, the file stays small and
// the peak stays visible.
func TestLoadHugeQueue(t *testing.T) {
	m := workloads.Machine{Nodes: 1, Cores: 1}
	const jobs = 100_000
	s := Schedule{"p", m, make([]trace.FinishedJob, jobs)}
	for i := range s.Jobs {
		s.Jobs[i] = job(i+1, float64(jobs+i), float64(jobs+i+1), 1, 0, 0)
		s.Jobs[i].Submit = float64(i)
	}
	p := look(t, drawLoad(s))
	if p.size > 80<<10 {
		t.Errorf("the picture has %d bytes", p.size)
	}
	if !p.has("100000") {
		t.Errorf("no label for the longest queue in %q", p.texts)
	}
	points := vertices(t, p, 4)
	if err := isSteps(points); err != nil {
		t.Error(err)
	}
	top := 0.0
	for _, q := range points {
		top = math.Max(top, q[1])
	}
	if middle := points[len(points)/2]; math.Abs(middle[1]-top) > 1 {
		t.Errorf("the peak is at height %g, the middle at %g", top, middle[1])
	}
}

// A peak and a gap of one step among tens of thousands are still drawn.
func TestCurveKeepsSpikes(t *testing.T) {
	c := curve{label: "x", style: lineStyle(0)}
	for i := range 50_000 {
		c.points = append(c.points, metric.Point{T: float64(i), V: float64(20 + i%2)})
	}
	c.points[10_001].V, c.points[30_001].V = 50, 0
	points := vertices(t, look(t, func(w io.Writer) error {
		set := axes("time", 50_000, "y", 50, countTicks(50))
		return figure(w, "test", 100, 1, []panel{curvePanel("title", set, []curve{c})})
	}), 0)
	low, high := points[0], points[0]
	for _, q := range points {
		if q[1] < low[1] {
			low = q
		}
		if q[1] > high[1] {
			high = q
		}
	}
	left, right := points[0][0], points[len(points)-1][0]
	peak, gap := (high[0]-left)/(right-left), (low[0]-left)/(right-left)
	if math.Abs(peak-0.2) > 0.01 || math.Abs(gap-0.6) > 0.01 {
		t.Errorf("peak and gap are at %g and %g of the width, want 0.2 and 0.6", peak, gap)
	}
}

// Thinning out keeps steps, ends and the envelope of any step function.
func TestCurveIsStepsAndKeepsTheEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(0, 50), 1, 4000).Draw(t, "queue")
		c := curve{label: "x", style: lineStyle(0)}
		low, high := math.Inf(1), math.Inf(-1)
		for i, v := range values {
			c.points = append(c.points, metric.Point{T: float64(i), V: float64(v)})
			low, high = math.Min(low, float64(v)), math.Max(high, float64(v))
		}
		p := look(t, func(w io.Writer) error {
			set := axes("time", visibleSpan(float64(len(values))), "y", 50, countTicks(50))
			return figure(w, "test", 100, 1, []panel{curvePanel("title", set, []curve{c})})
		})
		points := vertices(t, p, 0)
		if err := isSteps(points); err != nil {
			t.Fatal(err)
		}
		gotLow, gotHigh := math.Inf(1), math.Inf(-1)
		for _, q := range points {
			gotLow, gotHigh = math.Min(gotLow, q[1]), math.Max(gotHigh, q[1])
		}
		// One hundred points of height less axes are fifty jobs.
		scale := 0.0
		if high > low {
			scale = (gotHigh - gotLow) / (high - low)
		}
		if high > low && (scale < 1 || scale > 2) || high == low && gotHigh != gotLow {
			t.Fatalf("values %g to %g are drawn from %g to %g", low, high, gotLow, gotHigh)
		}
		if got, want := points[len(points)-1][1]-points[0][1], scale*float64(values[len(values)-1]-values[0]); math.Abs(got-want) > 0.3 {
			t.Fatalf("the line rises by %g from its start to its end, want %g", got, want)
		}
	})
}

// An empirical distribution function starts at 0, never falls and ends at 1.
func TestWaitingECDFIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Schedule{Name: "p", Machine: workloads.Machine{Nodes: 1, Cores: 1}}
		for i, wait := range rapid.SliceOfN(rapid.IntRange(0, 5000), 1, 300).Draw(t, "waits") {
			s.Jobs = append(s.Jobs, job(i+1, float64(wait), float64(wait+1), 1, 0, 0))
		}
		points := vertices(t, look(t, drawECDF(s)), 0)
		if err := isSteps(points); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(points); i++ {
			if points[i][1] < points[i-1][1] {
				t.Fatalf("falls from %v to %v", points[i-1], points[i])
			}
		}
		if rise := points[len(points)-1][1] - points[0][1]; rise < 150 {
			t.Fatalf("rises by %g points only", rise)
		}
	})
}

func TestWaitingECDFTexts(t *testing.T) {
	m := workloads.Machine{Nodes: 1, Cores: 1}
	never := job(9, trace.NeverStarted, 500, 0, 0)
	quick := Schedule{"auction", m, []trace.FinishedJob{job(1, 0, 1, 1, 0, 0), job(2, 10, 11, 1, 0, 0), job(3, 90, 91, 1, 0, 0), never}}
	slow := Schedule{"backfill", m, []trace.FinishedJob{job(1, 0, 1, 1, 0, 0), job(2, 65, 66, 1, 0, 0), job(3, 90, 91, 1, 0, 0)}}
	p := look(t, drawECDF(slow, quick, Schedule{"idle", m, nil}))
	for _, want := range []string{"backfill, median 1 min 5 s", "auction, median 10 s", "idle", "waiting time [s]",
		"jobs that waited at most so long [%]", "100"} {
		if !p.has(want) {
			t.Errorf("text %q is missing in %q", want, p.texts)
		}
	}
	many := make([]Schedule, 8)
	for i := range many {
		many[i] = quick
	}
	dashed := 0
	for _, s := range look(t, drawECDF(many...)).paths {
		if s.dashed {
			dashed++
		}
	}
	if dashed != 4 {
		t.Errorf("%d dashed lines, want two policies with their legend", dashed)
	}
}

func TestCurvesRefuseFaults(t *testing.T) {
	early := job(1, 3, 5, 1, 0, 0)
	early.Submit = 4
	bad := Schedule{"p", workloads.Machine{Nodes: 1, Cores: 1}, []trace.FinishedJob{early}}
	for name, draw := range map[string]func(io.Writer, ...Schedule) error{"load": Load, "ecdf": WaitingECDF} {
		for _, c := range []struct {
			s    []Schedule
			want string
		}{
			{nil, "draw schedules: none given"},
			{[]Schedule{bad}, "job 1: start 3 s is before submission 4 s"},
		} {
			if err := draw(io.Discard, c.s...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", name, err, c.want)
			}
		}
	}
}
