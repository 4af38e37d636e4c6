package solver

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/packing"
)

// workerVariable makes this test program a worker.
const workerVariable = "SLURMLAB_TEST_WORKER"

func TestMain(m *testing.M) {
	mode := os.Getenv(workerVariable)
	if mode == "" {
		os.Exit(m.Run())
	}
	err := error(nil)
	if strings.HasPrefix(mode, "program ") {
		err = ServeProgram(os.Stdin, os.Stdout, pretendProgram(mode))
	} else {
		err = Serve(os.Stdin, os.Stdout, pretender(mode))
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

func (pretender) Add([]auction.Row) error { return nil }

func (pretender) Solve() (packing.Point, error) { return packing.Point{}, nil }

func (pretender) Branch(p auction.Problem, _ []int, _ packing.BranchLimits, _ func(packing.Branched) bool) (packing.Branched, error) {
	a, err := auction.Exhaustive{}.Solve(context.Background(), p)
	return packing.Branched{Selected: a.Selected, Bound: a.Bound, Optimal: true}, err
}

func newProcess(t *testing.T, mode string, limit time.Duration) *Solver {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(workerVariable, mode)
	s, err := New(Options{Start: Command(self), TimeLimit: limit, Quick: &packing.Limits{}})
	if err != nil {
		t.Fatal(err)
	}
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
	for range 2000 {
		if !alive(pid) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d lives on", pid)
}

// TestProcess: one process answers one request after the other.
func TestProcess(t *testing.T) {
	s := newProcess(t, "good", 30*time.Second)
	first := pid(s)
	for range 3 {
		a, err := s.Solve(context.Background(), hard())
		if err != nil || a.Status != auction.StatusOptimal || a.Objective != 6 {
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
		if a, err := s.Solve(context.Background(), hard()); err != nil || a.Status != auction.StatusAbandoned || a.Objective < 5 {
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
	for _, mode := range []string{"exit", "panic"} {
		s := newProcess(t, mode, 30*time.Second)
		if a, err := s.Solve(context.Background(), hard()); err != nil || a.Status != auction.StatusWorkerLost || a.Objective < 5 {
			t.Errorf("%s: %v, %v", mode, a, err)
		}
	}
	for _, mode := range []string{"good", "busy"} {
		s := newProcess(t, mode, 30*time.Second)
		first := pid(s)
		process, err := os.FindProcess(first)
		if err != nil {
			t.Fatal(err)
		}
		if mode == "good" {
			_ = process.Kill()
		} else {
			time.AfterFunc(200*time.Millisecond, func() { _ = process.Kill() })
		}
		if a, solveErr := s.Solve(context.Background(), hard()); solveErr != nil || a.Status != auction.StatusWorkerLost || a.Objective < 5 {
			t.Errorf("killed %s worker: %v, %v", mode, a, solveErr)
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
	w, err := Command(self)()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Kill()
	l := connect(w)
	l.ask(request{Problem: flatten(hard()), Start: []int{0, 3}, Bound: 9, Limit: time.Hour})
	time.Sleep(100 * time.Millisecond)
	c := w.(*child)
	if err := c.Writer.(interface{ Close() error }).Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}
