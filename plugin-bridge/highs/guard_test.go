package highs

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// hard is a program that auction.Greedy cannot prove: two of three columns
// exclude each other.
func hard() auction.Problem {
	return auction.Problem{
		Objective: []float64{3, 2, 1},
		Rows:      []auction.Row{{Name: "r", Columns: []int{0, 1}, Coefficients: []int{2, 2}, Bound: 3}},
	}
}

func solve(t *testing.T, s *Solver, p auction.Problem) auction.Assignment {
	t.Helper()
	a, err := s.Solve(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(a.Selected); err != nil {
		t.Fatal(err)
	}
	if a.Objective != p.Value(a.Selected) || a.Bound < a.Objective {
		t.Fatalf("%v is not honest", a)
	}
	return a
}

// TestBetter: what is made of an answer of HiGHS.
func TestBetter(t *testing.T) {
	tests := []struct {
		name    string
		outcome outcome
		err     error
		want    auction.Status
		bound   float64
	}{
		{"optimal", outcome{selected: []int{0, 2}, bound: 4, optimal: true}, nil, auction.StatusOptimal, 4},
		{"time limit with a selection no better than greedy's", outcome{selected: []int{0, 2}, bound: 5}, nil, auction.StatusGreedy, 5},
		{"time limit with a worse selection", outcome{selected: []int{1}, bound: 5}, nil, auction.StatusGreedy, 5},
		{"time limit without a selection", outcome{bound: math.Inf(1)}, nil, auction.StatusGreedy, 6},
		{"an infeasible selection", outcome{selected: []int{0, 1, 2}, bound: 6, optimal: true}, nil, auction.StatusGreedy, 6},
		{"an optimum below the greedy value", outcome{selected: []int{1, 2}, bound: 3, optimal: true}, nil, auction.StatusGreedy, 4},
		{"a failure", outcome{}, errors.New("HiGHS failed"), auction.StatusGreedy, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSolver(Options{}, func(_ auction.Problem, start []int, limit time.Duration, _ uint32) (outcome, error) {
				if !slices.Equal(start, []int{0, 2}) || limit != DefaultTimeLimit {
					t.Errorf("engine got start %v and limit %v", start, limit)
				}
				return tt.outcome, tt.err
			})
			a := solve(t, s, hard())
			if a.Status != tt.want || a.Objective != 4 || a.Bound != tt.bound {
				t.Errorf("%v, want status %s, objective 4, bound %g", a, tt.want, tt.bound)
			}
		})
	}
}

// TestTimeLimitWithABetterSelection: greedy without improvement takes column 0
// and misses the two that are worth more together.
func TestTimeLimitWithABetterSelection(t *testing.T) {
	p := auction.Problem{
		Objective: []float64{3, 2, 2},
		Rows:      []auction.Row{{Name: "r", Columns: []int{0, 1, 2}, Coefficients: []int{2, 1, 1}, Bound: 2}},
	}
	s := newSolver(Options{GreedyWork: -1}, func(auction.Problem, []int, time.Duration, uint32) (outcome, error) {
		return outcome{selected: []int{1, 2}, bound: 4.5}, nil
	})
	if a := solve(t, s, p); a.Status != auction.StatusTimeLimit || a.Objective != 4 || a.Bound != 4.5 {
		t.Errorf("%v", a)
	}
}

// TestOverrunIsAbandoned: an engine that overruns is waited for 1.5 times its
// limit and half a second, then left alone; no second one starts beside it.
func TestOverrunIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const overrun = 20 * time.Second
		var starts atomic.Int32
		s := newSolver(Options{TimeLimit: 2 * time.Second}, func(_ auction.Problem, start []int, _ time.Duration, _ uint32) (outcome, error) {
			starts.Add(1)
			time.Sleep(overrun)
			return outcome{selected: start, bound: 4, optimal: true}, nil
		})
		begin := time.Now()
		if a := solve(t, s, hard()); a.Status != auction.StatusAbandoned || a.Objective != 4 {
			t.Errorf("overrun: %v", a)
		}
		if waited := time.Since(begin); waited != 3500*time.Millisecond {
			t.Errorf("waited %v", waited)
		}
		if a := solve(t, s, hard()); a.Status != auction.StatusGreedy || starts.Load() != 1 {
			t.Errorf("beside the overrun: %v, %d starts", a, starts.Load())
		}
		time.Sleep(overrun)
		solve(t, s, hard())
		if starts.Load() != 2 {
			t.Errorf("%d starts after the overrun had ended", starts.Load())
		}
		time.Sleep(overrun)
	})
}

func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limit atomic.Int64
		s := newSolver(Options{}, func(_ auction.Problem, _ []int, l time.Duration, _ uint32) (outcome, error) {
			limit.Store(int64(l))
			time.Sleep(time.Minute)
			return outcome{}, nil
		})
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if _, err := s.Solve(ctx, hard()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if got := time.Duration(limit.Load()); got != 2*time.Second {
			t.Errorf("limit %v with 2 s left", got)
		}
		if _, err := s.Solve(ctx, hard()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v with an ended context", err)
		}
		time.Sleep(time.Minute)
	})
}

// TestEasyProgramsDoNotReachHiGHS: lanl/highs panics on programs without
// columns or rows.
func TestEasyProgramsDoNotReachHiGHS(t *testing.T) {
	s := newSolver(Options{}, func(p auction.Problem, _ []int, _ time.Duration, _ uint32) (outcome, error) {
		t.Errorf("engine runs on\n%v", p)
		return outcome{}, nil
	})
	for _, p := range []auction.Problem{{}, {Objective: []float64{1}}, {Objective: []float64{0.1, 0.2, 0.3, 0.4}}} {
		if a := solve(t, s, p); a.Status != auction.StatusOptimal || len(a.Selected) != len(p.Objective) {
			t.Errorf("%v", a)
		}
	}
}
