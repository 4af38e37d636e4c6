package plot

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// jobPaths returns the paths that are jobs: swatches of the legend have a
// family's colour too and come after the jobs of the first panel, one
// rectangle each.
func jobPaths(p picture, legend int) []shape {
	hues := make(map[string]bool)
	for _, f := range []familyIndex{cpuJob, gpuJob, failedJob} {
		for _, c := range f.hues() {
			hues[hex(c)] = true
		}
	}
	var out []shape
	for _, s := range p.paths {
		if hues[s.fill] {
			out = append(out, s)
		}
	}
	return out[:len(out)-legend]
}

func job(id int, start, finish float64, cores, gpus int, nodes ...int) trace.FinishedJob {
	j := trace.FinishedJob{State: "COMPLETED", Start: start, Finish: finish, AllocCores: cores, AllocGPUs: gpus, Allocated: nodes}
	j.ID = id
	return j
}

func nodeRange(first, last int) []int {
	var out []int
	for n := first; n <= last; n++ {
		out = append(out, n)
	}
	return out
}

func drawGantt(schedules ...Schedule) func(io.Writer) error {
	return func(w io.Writer) error { return Gantt(w, schedules...) }
}

// swatches is the number of squares in a chart's legend.
func swatches(schedules ...Schedule) int {
	n := 0
	for _, e := range familyLegend(schedules) {
		n += len(e.swatches)
	}
	return n
}

// The fragmentation of a job is the number of its contiguous node blocks (AUCSCHED, section 6). Whole nodes are drawn
// as exactly that many rectangles, on machines with one and with many nodes in a row.
func TestGanttRectanglesAreFragmentation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workloads.Machine{
			Nodes: rapid.SampledFrom([]int{1, 2, 63, 64, 65, 128, 1408}).Draw(t, "nodes"),
			Cores: rapid.SampledFrom([]int{1, 8, 12}).Draw(t, "cores"),
		}
		jobs := rapid.IntRange(1, 10).Draw(t, "jobs")
		s := Schedule{Name: "p", Machine: m}
		want := 0
		for i := range jobs {
			bits := rapid.SliceOfN(rapid.Bool(), m.Nodes, m.Nodes).Draw(t, "allocated")
			bits[rapid.IntRange(0, m.Nodes-1).Draw(t, "node")] = true
			var nodes []int
			for n, set := range bits {
				if set {
					nodes = append(nodes, n)
					if n == 0 || !bits[n-1] {
						want++
					}
				}
			}
			s.Jobs = append(s.Jobs, job(i+1, float64(i)*10, float64(i+1)*10, len(nodes)*m.Cores, 0, nodes...))
		}
		got := 0
		paths := jobPaths(look(t, drawGantt(s)), swatches(s))
		for _, p := range paths {
			got += p.rectangles()
		}
		if len(paths) != jobs || got != want {
			t.Fatalf("%d paths with %d rectangles, want %d jobs with %d blocks", len(paths), got, jobs, want)
		}
	})
}

// A job's height is its cores, and jobs that run at the same time never cover
// each other: nothing is oversold in the picture if nothing was in the run.
func TestStripesKeepCoresApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := workloads.Machine{
			Nodes: rapid.SampledFrom([]int{1, 3, 64, 130, 200}).Draw(t, "nodes"),
			Cores: rapid.SampledFrom([]int{1, 3, 8}).Draw(t, "cores"),
			GPUs:  2,
		}
		jobs := fcfs(m, rapid.IntRange(1, 40).Draw(t, "jobs"), rapid.Uint64().Draw(t, "seed"),
			rapid.SampledFrom([]int{1, 2}).Draw(t, "stride"), rapid.Bool().Draw(t, "skip"))
		filled := stripes(m, jobs, maxRows)
		for _, a := range jobs {
			height := 0.0
			for i, s := range filled[a.ID] {
				height += s.hi - s.lo
				if s.lo < 0 || s.hi > float64(m.Nodes)+1e-9 || i > 0 && s.lo <= filled[a.ID][i-1].hi {
					t.Fatalf("job %d: spans %v are not ascending inside the machine", a.ID, filled[a.ID])
				}
			}
			if math.Abs(height*float64(m.Cores)-float64(a.AllocCores)) > 1e-6 {
				t.Fatalf("job %d: height %g of %d cores a node, want %d cores", a.ID, height, m.Cores, a.AllocCores)
			}
			for _, b := range jobs {
				if a.ID < b.ID && a.Start < b.Finish && b.Start < a.Finish && cover(filled[a.ID], filled[b.ID]) {
					t.Fatalf("jobs %d and %d cover each other", a.ID, b.ID)
				}
			}
		}
	})
}

func cover(a, b []span) bool {
	for _, x := range a {
		for _, y := range b {
			if x.lo < y.hi-1e-6 && y.lo < x.hi-1e-6 {
				return true
			}
		}
	}
	return false
}

func TestStripes(t *testing.T) {
	small := workloads.Machine{Nodes: 4, Cores: 8}
	for _, c := range []struct {
		name    string
		machine workloads.Machine
		jobs    []trace.FinishedJob
		want    map[int]string
	}{
		{"whole nodes are one rectangle a block", small,
			[]trace.FinishedJob{job(1, 0, 9, 24, 0, 0, 1, 3)}, map[int]string{1: "0-2 3-4"}},
		{"halves of neighbouring nodes meet", small,
			[]trace.FinishedJob{job(1, 0, 9, 16, 0, 0, 1, 2, 3)}, map[int]string{1: "0-0.5 1.5-2.5 3.5-4"}},
		{"a second job takes the other half", small,
			[]trace.FinishedJob{job(1, 0, 9, 8, 0, 0, 1), job(2, 0, 9, 8, 2, 0, 1)}, map[int]string{1: "0-0.5 1.5-2", 2: "0.5-1.5"}},
		{"lanes are used again once they are free", small,
			[]trace.FinishedJob{job(1, 0, 9, 8, 0, 0, 1), job(2, 9, 12, 8, 0, 0, 1)}, map[int]string{1: "0-0.5 1.5-2", 2: "0-0.5 1.5-2"}},
		{"cores that do not divide", small,
			[]trace.FinishedJob{job(1, 0, 9, 9, 0, 0, 1)}, map[int]string{1: "0-0.625 1.5-2"}},
		{"no cores known is still visible", small,
			[]trace.FinishedJob{job(1, 0, 9, 0, 0, 0)}, map[int]string{1: "0-0.125"}},
		{"more cores than the nodes have", small,
			[]trace.FinishedJob{job(1, 0, 9, 80, 0, 2)}, map[int]string{1: "2-3"}},
		{"an oversold node is drawn over", small,
			[]trace.FinishedJob{job(1, 0, 9, 8, 0, 0), job(2, 1, 9, 8, 0, 0)}, map[int]string{1: "0-1", 2: "0-1"}},
		{"never started", small,
			[]trace.FinishedJob{job(1, -1, 9, 0, 0)}, map[int]string{1: ""}},
		{"one node of many in a row keeps its place", workloads.Machine{Nodes: 640, Cores: 2},
			[]trace.FinishedJob{job(1, 0, 9, 2, 0, 7), job(2, 0, 9, 2, 0, 633)}, map[int]string{1: "7-8", 2: "633-634"}},
		{"shared nodes of one row lie beside each other", workloads.Machine{Nodes: 640, Cores: 2},
			[]trace.FinishedJob{job(1, 0, 9, 10, 0, nodeRange(0, 9)...), job(2, 0, 9, 10, 0, nodeRange(0, 9)...)},
			map[int]string{1: "0-5", 2: "5-10"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			filled := stripes(c.machine, c.jobs, maxRows)
			for id, want := range c.want {
				var parts []string
				for _, s := range filled[id] {
					parts = append(parts, fmt.Sprintf("%g-%g", s.lo, s.hi))
				}
				if got := strings.Join(parts, " "); got != want {
					t.Errorf("job %d fills %q, want %q", id, got, want)
				}
			}
		})
	}
}

func TestGanttColours(t *testing.T) {
	m := workloads.Machine{Nodes: 8, Cores: 4, GPUs: 1}
	failed := job(4, 0, 50, 4, 0, 6)
	failed.State = "TIMEOUT"
	above := Schedule{"above", m, []trace.FinishedJob{
		job(1, 0, 100, 8, 0, 0, 1), job(2, 0, 100, 8, 0, 2, 3), job(3, 0, 100, 8, 2, 4, 5), failed}}
	below := Schedule{"below", m, []trace.FinishedJob{
		job(3, 0, 100, 8, 2, 0, 1), job(1, 100, 200, 8, 0, 0, 1), job(2, 100, 200, 8, 0, 2, 3)}}
	p := look(t, drawGantt(above, below))
	for _, want := range []string{"above", "below", "CPU jobs", "GPU jobs", "not completed",
		"4 jobs, makespan 1 min 40 s", "3 jobs, makespan 3 min 20 s",
		"node index", "time since the first submission [s]", "J1", "J2", "J3"} {
		if !p.has(want) {
			t.Errorf("text %q is missing in %q", want, p.texts)
		}
	}
	var fills []string
	for _, s := range jobPaths(p, 0) {
		if s.rectangles() == 1 {
			fills = append(fills, s.fill)
		}
	}
	cpu, gpu := cpuJob.hues(), gpuJob.hues()
	grey := hex(failedJob.hues()[0])
	// Panels in order; the legend of the first panel, drawn from the right, lies
	// between them.
	want := []string{hex(cpu[0]), hex(cpu[1]), hex(gpu[2]), grey, grey}
	for _, c := range append(gpu, cpu...) {
		want = append(want, hex(c))
	}
	want = append(want, hex(gpu[2]), hex(cpu[0]), hex(cpu[1]))
	if strings.Join(fills, " ") != strings.Join(want, " ") {
		t.Errorf("fills\n%v, want\n%v", fills, want)
	}
}

// Jobs that touch get different colours while the palette lasts, here on a
// ring of neighbours that cycling through four colours would not keep apart.
func TestColourIndexKeepsNeighboursApart(t *testing.T) {
	m := workloads.Machine{Nodes: 8, Cores: 1}
	jobs := []trace.FinishedJob{
		job(1, 0, 10, 2, 0, 0, 1), job(2, 20, 30, 1, 0, 7), job(3, 40, 50, 1, 0, 7), job(4, 60, 70, 1, 0, 7),
		job(5, 10, 20, 2, 0, 1, 2), job(6, 0, 10, 2, 0, 2, 3),
	}
	index := colourIndex([]Schedule{{"p", m, jobs}}, 4)
	for _, pair := range [][2]int{{1, 5}, {1, 6}, {5, 6}} {
		if index[pair[0]] == index[pair[1]] {
			t.Errorf("touching jobs %v have the same colour: %v", pair, index)
		}
	}
}

func TestGanttOrderOfJobsIsNoMatter(t *testing.T) {
	s := Schedule{"p", machineS(), fcfs(machineS(), 60, 3, 1, true)}
	shuffled := append([]trace.FinishedJob(nil), s.Jobs...)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
	var a, b strings.Builder
	if err := errors.Join(Gantt(&a, s), Gantt(&b, Schedule{"p", s.Machine, shuffled})); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Error("the order of the jobs changes the picture")
	}
}

func TestGanttEdges(t *testing.T) {
	one := workloads.Machine{Nodes: 1, Cores: 1}
	for _, c := range []struct {
		name  string
		s     Schedule
		paths int
		text  string
	}{
		{"no jobs", Schedule{"empty", one, nil}, 0, "0 jobs, makespan 0 s"},
		{"one job on one node", Schedule{"p", one, []trace.FinishedJob{job(1, 0, 60, 1, 0, 0)}}, 1, "1 job, makespan 1 min 0 s"},
		{"zero duration", Schedule{"p", one, []trace.FinishedJob{job(1, 0, 0, 1, 0, 0)}}, 1, "1 job, makespan 0 s"},
		{"no nodes", Schedule{"p", one, []trace.FinishedJob{job(1, -1, 5, 0, 0)}}, 0, "1 job, makespan 5 s"},
		{"markup in the name", Schedule{`<b>&"x"`, one, nil}, 0, `<b>&"x"`},
		{"days", Schedule{"p", one, []trace.FinishedJob{job(1, 0, 1e7, 1, 0, 0)}}, 1, "time since the first submission [d]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := look(t, drawGantt(c.s))
			if got := len(jobPaths(p, swatches(c.s))); got != c.paths {
				t.Errorf("%d jobs drawn, want %d", got, c.paths)
			}
			if !p.has(c.text) {
				t.Errorf("text %q is missing in %q", c.text, p.texts)
			}
		})
	}
}

// The largest machine and workload of the papers, once placed compactly and
// once scattered over all nodes, stay small enough for a report.
func TestGanttSize(t *testing.T) {
	m := machineTSUBAME()
	compact := Schedule{"compact", m, fcfs(m, 700, 1, 1, false)}
	scattered := Schedule{"scattered", m, fcfs(m, 700, 1, 11, true)}
	p := look(t, drawGantt(compact, scattered))
	if p.size > 2<<20 {
		t.Errorf("the picture has %d bytes, want at most 2 MiB", p.size)
	}
	if got := len(jobPaths(p, 0)); got != 1400+swatches(compact) {
		t.Errorf("%d paths, want one per job and panel and %d of the legend", got, swatches(compact))
	}
}

func TestGanttFaults(t *testing.T) {
	m := workloads.Machine{Name: "tiny", Nodes: 2, Cores: 1}
	for _, c := range []struct {
		name string
		s    []Schedule
		want []string
	}{
		{"none", nil, []string{"draw schedules: none given"}},
		{"machine", []Schedule{{"p", workloads.Machine{Name: "x"}, nil}}, []string{`schedule "p"`, `machine "x": 0 nodes of 0 cores`}},
		{"all faults at once", []Schedule{
			{"p", m, []trace.FinishedJob{job(1, 0, 1, 1, 0, 2), job(2, 5, 4, 1, 0, 0)}},
			{"q", m, []trace.FinishedJob{job(3, 0, math.NaN(), 1, 0, 0), job(4, 0, 1, 1, 0, 1, 1), job(4, 0, 1, 1, 0, -1)}},
		}, []string{
			`schedule "p": job 1: node index 2 (want ascending indices below 2)`,
			"job 2: finish 4 s is before start 5 s",
			`schedule "q": job 3: time NaN is not finite`,
			"job 4: node index 1", "job 4: there twice", "job 4: node index -1",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Gantt(io.Discard, c.s...)
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

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestGanttWriteError(t *testing.T) {
	err := Gantt(fullDisk{}, Schedule{"p", machineS(), nil})
	if err == nil || !strings.Contains(err.Error(), "write picture: no space left") {
		t.Errorf("error %v", err)
	}
}
