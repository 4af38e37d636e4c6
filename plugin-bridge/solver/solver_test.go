package solver

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// hard is a program with the optimum {1, 2, 3} of value 6. lazy limits give its own process nothing to do, so that it
// answers {0, 3} of value 5 with bound 9. No prices prove less than 7: of the last three, which exclude each other,
// their relaxation takes halves.
func hard() auction.Problem {
	ones := []int{1, 1}
	return auction.Problem{
		Objective: []float64{3, 2, 2, 2, 2, 2},
		Rows: []auction.Constraint{
			{Kind: auction.CoresRow, Of: "n1", Columns: []int{0, 1, 2}, Coefficients: []int{2, 1, 1}, Bound: 2},
			{Kind: auction.JobRow, Columns: []int{3, 4}, Coefficients: ones, Bound: 1},
			{Columns: []int{4, 5}, Coefficients: ones, Bound: 1},
			{Columns: []int{3, 5}, Coefficients: ones, Bound: 1},
		},
	}
}

// fake is a worker that runs a function in place of Serve.
type fake struct {
	io.Reader
	io.Writer
	kill  func()
	kills *atomic.Int32
}

func (f fake) Kill() <-chan error {
	f.kills.Add(1)
	f.kill()
	ended := make(chan error, 1)
	ended <- errors.New("exit status 3")
	return ended
}

// script starts fake workers: the first runs behaviours[0], and so on; the last
// one is repeated.
type script struct {
	starts, kills atomic.Int32
	behaviours    []func(in io.Reader, out io.Writer, killed <-chan struct{})
}

func (s *script) start() (Worker, error) {
	behave := s.behaviours[min(int(s.starts.Add(1)), len(s.behaviours))-1]
	toWorker, fromOwner := io.Pipe()
	toOwner, fromWorker := io.Pipe()
	killed := make(chan struct{})
	end := func() {
		_ = toWorker.Close()
		_ = fromWorker.Close()
	}
	go func() {
		behave(toWorker, fromWorker, killed)
		end()
	}()
	var once atomic.Bool
	return fake{toOwner, fromOwner, func() {
		if once.CompareAndSwap(false, true) {
			close(killed)
			end()
		}
	}, &s.kills}, nil
}

func hang(_ io.Reader, _ io.Writer, killed <-chan struct{}) { <-killed }

func die(in io.Reader, _ io.Writer, _ <-chan struct{}) { _, _ = in.Read(make([]byte, 1)) }

func garble(in io.Reader, out io.Writer, killed <-chan struct{}) {
	_, _ = in.Read(make([]byte, 1))
	_, _ = out.Write([]byte(strings.Repeat("this is no answer ", 20)))
	<-killed
}

// say answers the first request with a and then hangs.
func say(answers ...answer) func(io.Reader, io.Writer, <-chan struct{}) {
	return func(in io.Reader, out io.Writer, killed <-chan struct{}) {
		var q request
		_ = gob.NewDecoder(in).Decode(&q)
		go func() { _, _ = io.Copy(io.Discard, in) }()
		encoder := gob.NewEncoder(out)
		for _, a := range answers {
			a.Number += q.Number
			_ = encoder.Encode(a)
		}
		<-killed
	}
}

func newFake(t *testing.T, limit time.Duration, s *script) *Solver {
	t.Helper()
	solver, err := New(Options{Start: s.start, TimeLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	solver.quick = packing.Limits{}
	return solver
}

// TestDeadline: a solve returns at its limit, in the bubble's exact time,
// whatever the worker does; the worker is killed, and the next one serves.
func TestDeadline(t *testing.T) {
	const limit = 2 * time.Second
	tests := []struct {
		name             string
		behave           func(io.Reader, io.Writer, <-chan struct{})
		status           program.Status
		objective, bound float64
		took             time.Duration
		cause            string
	}{
		{"hangs", hang, program.StatusAbandoned, 5, 9, limit,
			"the solver's process overran its time limit and was killed"},
		{"dies", die, program.StatusWorkerLost, 5, 9, 0,
			"the solver's process ended: exit status 3"},
		{"garbles", garble, program.StatusWorkerLost, 5, 9, 0,
			"the solver's process answered what cannot be read: gob: "},
		{"tells something and hangs", say(answer{Selected: []int{1, 2, 3}, Bound: 7}), program.StatusAbandoned, 6, 7, limit,
			"the solver's process overran its time limit and was killed"},
		{"finds nothing better", say(answer{Selected: []int{1}, Bound: 7, Status: program.StatusWorkLimit, Final: true}), program.StatusWorkLimit, 5, 7, 0,
			""},
		{"is through", say(answer{Selected: []int{1, 2, 3}, Bound: 6, Status: program.StatusOptimal, Final: true}), program.StatusOptimal, 6, 6, 0,
			""},
		{"fails", say(answer{Selected: []int{1, 2, 3}, Bound: 7, Final: true, Failure: "HiGHS failed"}), program.StatusWorkerLost, 6, 7, 0,
			"HiGHS failed"},
		{"selects too much", say(answer{Selected: []int{0, 1, 2}, Bound: 9, Final: true}), program.StatusWorkerLost, 5, 9, 0,
			"the solver's process answered what cannot be true: check selection: row (3) n1 has 4 of at most 2"},
		{"proves the impossible", say(answer{Selected: []int{0}, Bound: 2, Final: true}), program.StatusWorkerLost, 5, 9, 0,
			"the solver's process answered what cannot be true: bound 2 below a known selection of 5"},
		{"proves no number", say(answer{Selected: []int{0}, Bound: math.NaN(), Final: true}), program.StatusWorkerLost, 5, 9, 0,
			"the solver's process answered what cannot be true: bound NaN below a known selection of 5"},
		{"answers another request", say(answer{Number: 1, Selected: []int{1, 2, 3}, Bound: 6, Final: true}), program.StatusWorkerLost, 5, 9, 0,
			"the solver's process answered request 2, asked was 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{behaviours: []func(io.Reader, io.Writer, <-chan struct{}){
					tt.behave, say(answer{Selected: []int{1, 2, 3}, Bound: 6, Status: program.StatusOptimal, Final: true}),
				}}
				solver := newFake(t, limit, s)
				defer solver.Close()
				begin := time.Now()
				a, err := solver.Solve(context.Background(), hard())
				if err != nil {
					t.Fatal(err)
				}
				if a.Status != tt.status || a.Objective != tt.objective || math.Abs(a.Bound-tt.bound) > 1e-6 || hard().Check(a.Selected) != nil {
					t.Errorf("%v, want %s, objective %g, bound %g", a, tt.status, tt.objective, tt.bound)
				}
				if !strings.HasPrefix(a.Cause, tt.cause) || tt.cause == "" && a.Cause != "" {
					t.Errorf("cause %q, want %q", a.Cause, tt.cause)
				}
				if took := time.Since(begin); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				synctest.Wait()
				if a.Status != program.StatusAbandoned && a.Status != program.StatusWorkerLost || tt.name == "fails" {
					return
				}
				if s.kills.Load() == 0 || s.starts.Load() != 2 {
					t.Errorf("%d kills and %d starts", s.kills.Load(), s.starts.Load())
				}
				if a, err = solver.Solve(context.Background(), hard()); err != nil || a.Status != program.StatusOptimal || a.Objective != 6 {
					t.Errorf("the next worker: %v, %v", a, err)
				}
			})
		})
	}
}

// TestNoWorker: a worker that cannot be started again costs quality only.
func TestNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{behaviours: []func(io.Reader, io.Writer, <-chan struct{}){die}}
		starts := 0
		var log bytes.Buffer
		solver, err := New(Options{TimeLimit: time.Minute, Log: slog.New(slog.NewTextHandler(&log, nil)), Start: func() (Worker, error) {
			if starts++; starts > 1 {
				return nil, errors.New("no memory")
			}
			return s.start()
		}})
		if err != nil {
			t.Fatal(err)
		}
		solver.quick = packing.Limits{}
		defer solver.Close()
		for n := range 3 {
			a, solveErr := solver.Solve(context.Background(), hard())
			if solveErr != nil || a.Status != program.StatusWorkerLost || a.Objective != 5 {
				t.Errorf("solve %d: %v, %v", n, a, solveErr)
			}
			if want := []string{"the solver's process ended: exit status 3", "no memory", "no memory"}[n]; a.Cause != want {
				t.Errorf("solve %d: cause %q, want %q", n, a.Cause, want)
			}
			synctest.Wait()
		}
		for _, want := range []string{
			`level=WARN msg="solver's process is lost, starting another one" request=1 cause="the solver's process ended: exit status 3"`,
			`level=ERROR msg="solver's process cannot be started, trying again at the next solution" error="no memory"`,
		} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("log\n%slacks %s", log.String(), want)
			}
		}
	})
}

// TestContext: the caller's own end is an error, and the worker does not go on
// for nobody.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{behaviours: []func(io.Reader, io.Writer, <-chan struct{}){hang}}
		solver := newFake(t, time.Minute, s)
		defer solver.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if _, err := solver.Solve(ctx, hard()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		synctest.Wait()
		if s.kills.Load() == 0 {
			t.Error("the worker lives on")
		}
		if _, err := solver.Solve(ctx, hard()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v with an ended context", err)
		}
	})
}

// TestTurns: of two calls at once, the second gets what is left of its time.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{behaviours: []func(io.Reader, io.Writer, <-chan struct{}){hang}}
		solver := newFake(t, time.Second, s)
		defer solver.Close()
		begin := time.Now()
		done := make(chan program.Status, 2)
		for range 2 {
			go func() {
				a, err := solver.Solve(context.Background(), hard())
				if err != nil {
					t.Error(err)
				}
				if a.Status == program.StatusTimeLimit && a.Cause != "the solver's process was not free before the time limit" {
					t.Errorf("cause %q", a.Cause)
				}
				done <- a.Status
			}()
		}
		if statuses := []program.Status{<-done, <-done}; !slices.Contains(statuses, program.StatusTimeLimit) || !slices.Contains(statuses, program.StatusAbandoned) {
			t.Errorf("statuses %v, want one call without its turn and one with a late worker", statuses)
		}
		if took := time.Since(begin); took != time.Second {
			t.Errorf("two solves took %v", took)
		}
	})
}

// TestEasyProgramsNeedNoWorker.
func TestEasyProgramsNeedNoWorker(t *testing.T) {
	dead := &script{behaviours: []func(io.Reader, io.Writer, <-chan struct{}){die}}
	solver, err := New(Options{Start: dead.start, TimeLimit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer solver.Close()
	for _, p := range []auction.Problem{{}, {Objective: []float64{1}}, {Objective: []float64{0.1, 0.2, 0.3, 0.4}}, hard()} {
		a, err := solver.Solve(context.Background(), p)
		if err != nil || a.Status != program.StatusOptimal || p.Check(a.Selected) != nil {
			t.Errorf("%v, %v", a, err)
		}
	}
}
