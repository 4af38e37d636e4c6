package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// solve solves the program of a model within a limit. A model with stages is solved by one program after the other.
// Each has a row more, which keeps what the stage before has proven. The solution is optimal if all stages are, and
// otherwise has the status of the first that is not, with the best point so far.
func (p *Decider) solve(ctx context.Context, m model, start []float64, limit time.Duration) (program.Solution, error) {
	if m.stages == nil {
		return p.options.Solve(ctx, m.Program, start, limit)
	}
	began := p.options.Clock()
	best := program.Solution{Status: program.StatusOptimal, Values: start, Bound: math.Inf(1)}
	stage := m.Program
	stage.Variables, stage.Rows = slices.Clone(m.Program.Variables), slices.Clone(m.Program.Rows)
	for k, objective := range m.stages {
		for i := range stage.Variables {
			stage.Variables[i].Objective = objective[i]
		}
		found, err := p.options.Solve(ctx, stage, best.Values, max(time.Millisecond, limit-(p.options.Clock()-began)))
		if err != nil {
			return best, err
		}
		if found.Values != nil {
			best.Values = found.Values
		}
		if best.Status, best.Cause = found.Status, found.Cause; found.Status != program.StatusOptimal || found.Values == nil {
			break
		}
		if k < len(m.stages)-1 {
			stage.Rows = append(stage.Rows, kept(stage, fmt.Sprintf("(1)_stage_%d", k+1), found.Values))
		}
	}
	if best.Values != nil {
		best.Objective = m.Program.Value(best.Values)
	}
	if best.Status == program.StatusOptimal {
		best.Bound = best.Objective
	}
	return best, nil
}

// kept is the row that keeps the value of a stage at a point. Values of stages are whole numbers, so half of one leaves
// room for a solver's tolerances.
func kept(stage program.Program, name string, point []float64) program.Row {
	var t terms
	for i, v := range stage.Variables {
		t.add(i, v.Objective)
	}
	return program.Row{
		Name: name, Variables: t.variables, Coefficients: t.coefficients,
		Sense: program.AtLeast, RHS: math.Round(stage.Value(point)) - 0.5,
	}
}
