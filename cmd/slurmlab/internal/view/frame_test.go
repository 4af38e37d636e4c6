package view_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/view"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/results/trace"
)

// at is so many real and virtual seconds after the start of a cluster.
func at(real, virtual float64) watch.Moment {
	return watch.Moment{
		Real:    time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC).Add(time.Duration(real * float64(time.Second))),
		Virtual: time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(virtual * float64(time.Second))),
	}
}

// backfilled is a small cluster under Slurm's backfill whose queue grows, one look a
// second.
func backfilled() *view.History {
	h := &view.History{}
	for i := range 20 {
		used := min(8, i)
		l := watch.Look{
			Now: at(float64(i), float64(i)), Clock: "real", Policy: "sched/backfill", Priority: "priority/basic",
			Nodes: []watch.Nodes{
				{Count: 2, Cores: 8, UsedCores: used, GPUs: 2, UsedGPUs: min(2, used)}, {Count: 3, Cores: 8, UsedCores: used / 2, GPUs: 2},
				{Count: 2, Cores: 8, GPUs: 2}, {Count: 1, Cores: 8, GPUs: 2, Out: true},
			},
			Waiting: i / 4, Active: 2,
			Running: []watch.Job{
				{ID: 3, Name: "lammps", State: "RUNNING", Submit: at(0, 1).Virtual, Start: at(0, 1).Virtual, Limit: 90 * time.Minute, Nodes: 2, Cores: 2 * used, GPUs: 1, NodeList: "n[0001-0002]"},
				{ID: 2, Name: "a very long name of a job", State: "COMPLETING", Submit: at(0, 0).Virtual, Start: at(0, 0).Virtual, Nodes: 3, Cores: 12, NodeList: "n[0003-0005]"},
			},
		}
		for k := range l.Waiting {
			reason := "Priority"
			if k == 0 {
				reason = "Resources"
			}
			l.Queue = append(l.Queue, watch.Job{ID: 4 + k, Name: "wrap", State: "PENDING", Reason: reason, Submit: at(0, float64(4*k)).Virtual,
				Start: at(0, 3000).Virtual, Limit: time.Hour, Nodes: 1 + k, Cores: 64, CoresPerNode: 8, GPUs: k})
		}
		h.Add(l)
	}
	return h
}

// auctioned is a run of 1408 nodes under the jump clock, 600 times as fast as ours.
func auctioned() *view.History {
	h := &view.History{}
	h.Begin(at(0, 0).Virtual)
	for i := 1; i <= 30; i++ {
		now := at(float64(i), float64(600*i))
		l := watch.Look{
			Now: now, Clock: "jump", Policy: "auction", Priority: "priority/basic", ByName: true,
			Nodes: []watch.Nodes{{Count: 40 * i, Cores: 12, UsedCores: 12, GPUs: 3, UsedGPUs: 3}, {Count: 100, Cores: 12, UsedCores: 5, GPUs: 3, UsedGPUs: 1}, {Count: 1308 - 40*i, Cores: 12, GPUs: 3}},
			Agent: &watch.Agent{Began: at(0, 0), Interval: 10 * time.Second},
		}
		l.Agent.Learn(trace.Cycle{Cycle: 60 * i, Pending: 20, Window: 14, Bids: 371, Solver: "optimal", Gap: 0.0042, SolveMS: 32, SnapshotMS: 11,
			Released: make([]trace.Release, 7), Lost: []trace.Loss{{Job: 100, To: 81}, {Job: 102}}, Refused: make([]trace.Refusal, 1)}, at(float64(i), float64(600*i-5)))
		l.Agent.Obstacles = []trace.Refusal{{Job: 103, Reason: "it wants 4 GPUs on a node, which none has"}}
		for k := range 20 {
			l.Queue = append(l.Queue, watch.Job{ID: 200 + k, Name: fmt.Sprint(100 + k), State: "PENDING", Reason: "JobHeldAdmin", Held: true,
				Submit: at(0, float64(600*i-300*(20-k))).Virtual, Limit: 3 * time.Hour, Nodes: 1300, Cores: 12 * 1300, CoresPerNode: 12, GPUs: k % 4})
		}
		for k := range 40 {
			l.Running = append(l.Running, watch.Job{ID: 100 + k, Name: fmt.Sprint(50 + k), State: "RUNNING", Submit: at(0, 0).Virtual,
				Start: at(0, float64(500*i)).Virtual, Limit: 3 * time.Hour, Nodes: i, Cores: 12 * i, GPUs: 3, NodeList: fmt.Sprintf("n[%04d-%04d]", k*i, k*i+i-1)})
		}
		l.Waiting, l.Active = 20, 40
		h.Add(l)
	}
	return h
}

// broken is a cluster whose Slurm is gone and whose agent fails, with a job whose name
// would clear the screen.
func broken() *view.History {
	h := backfilled()
	l := *h.Last()
	l.Agent = &watch.Agent{}
	l.Agent.Fail(7, errors.New("read state: slurm does not answer"), l.Now)
	l.Fault = "ask slurmchannel for \"nodes\": no answer within 5s"
	l.Now, l.Clock, l.Held = at(20, 20), "jump", true
	l.Queue, l.Waiting = []watch.Job{{ID: 9, Name: "\x1b[2Jevil", State: "PENDING", Reason: "\x1b[31mred\n", Submit: at(0, 0).Virtual, Nodes: 1, Cores: 1, CoresPerNode: 1}}, 1
	h.Add(l)
	return h
}

func cluster(name string) *view.History {
	switch name {
	case "backfilled":
		return backfilled()
	case "auctioned":
		return auctioned()
	case "broken":
		return broken()
	default:
		return &view.History{}
	}
}

// TestFrames compares frames with those of testdata/frames, without their colours:
//
//	frame CLUSTER... width=N height=N [at=DURATION]
func TestFrames(t *testing.T) {
	datadriven.RunTest(t, "testdata/frames", func(t *testing.T, d *datadriven.TestData) string {
		var width, height int
		var instant string
		d.ScanArgs(t, "width", &width)
		d.ScanArgs(t, "height", &height)
		if d.HasArg("at") {
			d.ScanArgs(t, "at", &instant)
		}
		var names []string
		var histories []*view.History
		for _, arg := range d.CmdArgs {
			if len(arg.Vals) > 0 {
				continue
			}
			h := cluster(arg.Key)
			if instant != "" {
				past, err := time.ParseDuration(instant)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				h = h.At(past)
			}
			names, histories = append(names, arg.Key), append(histories, h)
		}
		var out strings.Builder
		for _, line := range view.Beside(names, histories, width, height) {
			// The bar shows where the frame ends, and that blanks end no line.
			fmt.Fprintf(&out, "%s|\n", ansi.Strip(line))
		}
		return out.String()
	})
}

// Whatever the cluster and the size, a frame has its height, and no line is too wide.
func TestFramesFit(t *testing.T) {
	all := map[string]*view.History{}
	kinds := []string{"backfilled", "auctioned", "broken", "nothing"}
	for _, k := range kinds {
		all[k] = cluster(k)
	}
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 200).Draw(t, "width"), rapid.IntRange(1, 60).Draw(t, "height")
		var names []string
		var histories []*view.History
		for range rapid.IntRange(1, 5).Draw(t, "clusters") {
			names = append(names, rapid.String().Draw(t, "name"))
			histories = append(histories, all[rapid.SampledFrom(kinds).Draw(t, "cluster")])
		}
		lines := view.Beside(names, histories, width, height)
		if len(lines) != height {
			t.Fatalf("%d lines, want %d", len(lines), height)
		}
		for i, line := range lines {
			if got := ansi.StringWidth(line); got > width {
				t.Fatalf("line %d has %d columns, want at most %d: %q", i, got, width, line)
			}
			for _, c := range ansi.Strip(line) {
				if c < ' ' {
					t.Fatalf("line %d has a control character: %q", i, line)
				}
			}
		}
	})
}

// A long run keeps a bounded number of looks that go from its first to its last.
func TestHistoryIsBounded(t *testing.T) {
	h := &view.History{}
	const looks = 5000
	for i := range looks {
		h.Add(watch.Look{Now: at(float64(i), float64(10*i)), Waiting: i})
		if h.Last().Waiting != i {
			t.Fatalf("the newest look is %d, want %d", h.Last().Waiting, i)
		}
	}
	if first := h.At(0).Last().Waiting; first != 0 {
		t.Errorf("the first look is %d, want 0", first)
	}
	if got := h.Len(); got > 200 {
		t.Errorf("%d looks are kept", got)
	}
	for _, part := range []int{1, 2, 3} {
		want := part * looks / 4
		got := h.At(time.Duration(10*want) * time.Second).Last().Waiting
		if off := got - want; max(off, -off) > looks/100 {
			t.Errorf("the look of second %d is that of second %d", want, got)
		}
	}
}
