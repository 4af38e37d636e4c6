package solver

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// workerVariable makes this test program a worker.
const workerVariable = "SLURMLAB_TEST_WORKER"

func TestMain(m *testing.M) {
	mode := os.Getenv(workerVariable)
	if mode == "" {
		os.Exit(m.Run())
	}
	var err error
	if mode == "highs" {
		err = Serve(context.Background(), os.Stdin, os.Stdout)
	} else {
		err = serve(context.Background(), os.Stdin, os.Stdout, pretender(mode))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// pretender is an engine that misbehaves in a real process.
type pretender string

func (e pretender) Relax(auction.Problem, time.Duration, func() bool) (packing.Relaxation, error) {
	switch e {
	case "busy":
		for n := 0; ; n++ {
			if n < 0 {
				return nil, nil
			}
		}
	case "exit":
		os.Exit(3)
	case "panic":
		panic("as a crash of HiGHS would")
	}
	return e, nil
}

func (pretender) Add([]auction.Constraint) error { return nil }

func (pretender) Solve() (packing.Point, error) { return packing.Point{}, nil }

func (pretender) Branch(p auction.Problem, _ []int, _ packing.BranchLimits, _ func(packing.Branched) bool) (packing.Branched, error) {
	a, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
	return packing.Branched{Selected: a.Selected, Bound: a.Bound, Optimal: true}, err
}

// newProcess returns a solver whose own process does next to nothing.
func newProcess(t testing.TB, mode string, limit time.Duration) *Solver {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(workerVariable, mode)
	s, err := New(Options{Start: Command(nil, self), TimeLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	s.quick = packing.Limits{}
	t.Cleanup(s.Close)
	return s
}

func pid(s *Solver) int {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.link.worker.(*child).cmd.Process.Pid
}

func alive(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err == nil
}

func waitGone(t *testing.T, pid int) {
	t.Helper()
	hosttest.Until(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
}

// computes waits until a process has used a tenth of a second of a core: it is in the middle of a solve then, as
// all that comes before takes less.
func computes(t *testing.T, pid int) {
	t.Helper()
	hosttest.Until(t, fmt.Sprintf("process %d computes", pid), func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, found := strings.Cut(string(text), ") ")
		// User time is the twelfth field behind the name, in hundredths of a second (proc(5)).
		fields := strings.Fields(rest)
		if err != nil || !found || len(fields) < 12 {
			return false
		}
		used, err := strconv.Atoi(fields[11])
		return err == nil && used >= 10
	})
}

// TestProcess: one process answers one request after the other.
func TestProcess(t *testing.T) {
	s := newProcess(t, "good", hosttest.Hang)
	first := pid(s)
	for range 3 {
		a, err := s.Solve(context.Background(), hard())
		if err != nil || a.Status != program.StatusOptimal || a.Objective != 6 {
			t.Fatalf("%v, %v", a, err)
		}
	}
	if pid(s) != first {
		t.Error("the process was exchanged")
	}
	s.Close()
	waitGone(t, first)
}

// TestProcessOverrun: nothing burns the core after the limit.
func TestProcessOverrun(t *testing.T) {
	const limit = 200 * time.Millisecond
	s := newProcess(t, "busy", limit)
	first := pid(s)
	for range 2 {
		// The start of a process takes from the limit of who waits for it, and more than that on a busy machine.
		pid(s)
		if a, err := s.Solve(context.Background(), hard()); err != nil || a.Status != program.StatusAbandoned || a.Objective < 5 {
			t.Fatalf("%v, %v", a, err)
		}
	}
	waitGone(t, first)
	if second := pid(s); second == first || !alive(second) {
		t.Errorf("process %d after %d", second, first)
	}
}

// TestProcessLost: kill -9 between solves and during one, exit, panic.
func TestProcessLost(t *testing.T) {
	for mode, cause := range map[string]string{"exit": "exit status 3", "panic": "exit status 2"} {
		s := newProcess(t, mode, hosttest.Hang)
		a, err := s.Solve(context.Background(), hard())
		if err != nil || a.Status != program.StatusWorkerLost || a.Objective < 5 || a.Cause != "the solver's process ended: "+cause {
			t.Errorf("%s: %v, cause %q, %v", mode, a, a.Cause, err)
		}
	}
	for _, mode := range []string{"good", "busy"} {
		s := newProcess(t, mode, hosttest.Hang)
		first := pid(s)
		process, err := os.FindProcess(first)
		if err != nil {
			t.Fatal(err)
		}
		if mode == "good" {
			_ = process.Kill()
		}
		var a auction.Assignment
		solved := make(chan error, 1)
		go func() {
			var solveErr error
			a, solveErr = s.Solve(context.Background(), hard())
			solved <- solveErr
		}()
		if mode == "busy" {
			computes(t, first)
			_ = process.Kill()
		}
		solveErr := hosttest.Receive(t, "the end of the solve", solved)
		if solveErr != nil || a.Status != program.StatusWorkerLost || a.Objective < 5 || a.Cause != "the solver's process ended: signal: killed" {
			t.Errorf("killed %s worker: %v, cause %q, %v", mode, a, a.Cause, solveErr)
		}
		if second := pid(s); second == first {
			t.Errorf("killed %s worker: no new one", mode)
		}
	}
}

// TestWorkerEndsWithItsOwner: also in the middle of a solve.
func TestWorkerEndsWithItsOwner(t *testing.T) {
	t.Setenv(workerVariable, "busy")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w, err := Command(nil, self)()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Kill()
	l := connect(w)
	l.ask(request{Program: flattenAuction(hard()), Auction: true, Start: []int{0, 3}, Bound: 9, Limit: time.Hour})
	c := w.(*child)
	computes(t, c.cmd.Process.Pid)
	if err := c.Writer.(interface{ Close() error }).Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// The solver reports the processor time of a worker that was killed, as nobody can ask for it any more.
func TestKilledWorkerTellsItsTime(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(workerVariable, "busy")
	told := map[int]time.Duration{}
	w, err := Command(func(pid int, processor time.Duration) { told[pid] = processor }, self)()
	if err != nil {
		t.Fatal(err)
	}
	// A worker that computes until it is killed.
	l := connect(w)
	l.ask(request{Program: flattenAuction(hard()), Auction: true, Start: []int{0, 3}, Bound: 9, Limit: time.Hour})
	computes(t, w.(*child).cmd.Process.Pid)
	if err = <-w.Kill(); err == nil {
		t.Error("a killed worker ended well")
	}
	if used := told[w.(*child).cmd.Process.Pid]; len(told) != 1 || used <= 0 {
		t.Errorf("told %v, want that worker %d has used some time", told, w.(*child).cmd.Process.Pid)
	}
}
