package solver

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// knapsack has the optimum x1 = x2 = 1 of value 4.
func knapsack() program.Program {
	p := program.Program{Name: "knapsack", Maximise: true}
	for i, v := range []float64{3, 2, 2} {
		p.Variables = append(p.Variables, program.Variable{Name: string(rune('x' + i)), Upper: 1, Integer: true, Objective: v})
	}
	p.Rows = []program.Row{{Name: "r", Variables: []int{0, 1, 2}, Coefficients: []float64{2, 1, 1}, Sense: program.AtMost, RHS: 2}}
	return p
}

// pretendProgram solves programs in a real process, in the ways of a test.
func pretendProgram(mode string) func(program.Program, time.Duration, uint32) (program.Solution, error) {
	return func(p program.Program, limit time.Duration, _ uint32) (program.Solution, error) {
		switch mode {
		case "program busy":
			time.Sleep(time.Hour)
		case "program exit":
			os.Exit(3)
		case "program fails":
			return program.Solution{}, errors.New("HiGHS is ill")
		case "program lies":
			return program.Solution{Status: program.StatusOptimal, Values: []float64{1, 1, 1}, Objective: 7, Bound: 7}, nil
		case "program late":
			return program.Solution{Status: program.StatusTimeLimit, Bound: math.Inf(1)}, nil
		}
		if limit <= 0 {
			return program.Solution{}, errors.New("no time")
		}
		return program.Exhaustive{}.Solve(context.Background(), p)
	}
}

func TestPrograms(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		mode      string
		limit     time.Duration
		status    program.Status
		objective float64
		fault     string
	}{
		{mode: "program good", limit: time.Minute, status: program.StatusOptimal, objective: 4},
		{mode: "program late", limit: time.Minute, status: program.StatusTimeLimit},
		// HiGHS was seen to overrun its limit threefold (SOLVER.md section 1).
		{mode: "program busy", limit: 200 * time.Millisecond, status: program.StatusAbandoned},
		{mode: "program exit", limit: time.Minute, fault: "the worker failed"},
		{mode: "program fails", limit: time.Minute, fault: "HiGHS is ill"},
		{mode: "program lies", limit: time.Minute, fault: "not feasible"},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			t.Setenv(workerVariable, tt.mode)
			found, err := Programs{Path: self}.Solve(t.Context(), knapsack(), tt.limit)
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Errorf("%v, %v; want an error with %q", found, err, tt.fault)
				}
				return
			}
			if err != nil || found.Status != tt.status || found.Objective != tt.objective {
				t.Errorf("%+v, %v", found, err)
			}
		})
	}
}

// TestProgramsStop: the end of the caller's context is not taken for the limit.
func TestProgramsStop(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(workerVariable, "program busy")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(errors.New("enough")) })
	if found, err := (Programs{Path: self}).Solve(ctx, knapsack(), time.Hour); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("%+v, %v", found, err)
	}
}
