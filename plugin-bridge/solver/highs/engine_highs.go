//go:build highs && cgo

package highs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lanl/highs"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// tiny is the number of terms below which HiGHS's presolve saves time. On larger
// programs its probing and clique merging take most of the time, and HiGHS has no
// option that turns off these two alone.
const tiny = 10_000

type engine struct{}

func newEngine() (packing.Engine, error) { return engine{}, nil }

// Branch solves p from a feasible start, see packing.Engine.
func (engine) Branch(p auction.Problem, start []int, l packing.BranchLimits, watch func(packing.Branched) bool) (packing.Branched, error) {
	presolve := "off"
	if p.NonZeros() < tiny {
		presolve = "on"
	}
	return branch(p, start, l, presolve, watch)
}

func branch(p auction.Problem, start []int, l packing.BranchLimits, presolve string, watch func(packing.Branched) bool) (packing.Branched, error) {
	found := packing.Branched{Bound: math.Inf(1)}
	m, err := newPacked(p, l.Time)
	if err != nil {
		return found, fmt.Errorf("load program: %w", err)
	}
	err = errors.Join(
		m.model.SetIntOption("random_seed", int(l.Seed&math.MaxInt32)),
		m.model.SetIntOption("mip_max_nodes", l.Nodes),
		m.model.SetFloat64Option("mip_rel_gap", 0),
		m.model.SetFloat64Option("mip_abs_gap", 0),
		m.model.SetStringOption("presolve", presolve),
		m.model.SetIntegrality(slices.Repeat([]highs.VariableType{highs.IntegerType}, m.columns)),
		m.start(start),
	)
	if err != nil {
		return found, fmt.Errorf("set up program: %w", err)
	}
	if found.Optimal, err = m.run(watch); err != nil {
		return found, err
	}
	found.Bound, found.Nodes = m.bound(), m.nodes()
	values, _ := m.point()
	if values == nil {
		return found, nil
	}
	found.Selected = selectedOf(values)
	return found, nil
}

// relaxation is a linear program that is loaded in HiGHS.
type relaxation struct {
	m      *packed
	onward func() bool
}

// Relax loads the linear relaxation of p, see packing.Engine.
func (engine) Relax(p auction.Problem, limit time.Duration, onward func() bool) (packing.Relaxation, error) {
	m, err := newPacked(p, limit)
	if err != nil {
		return nil, fmt.Errorf("load relaxation: %w", err)
	}
	// Each solve after the first starts from the last basis, which presolve would
	// throw away.
	if err := m.model.SetStringOption("presolve", "off"); err != nil {
		return nil, fmt.Errorf("load relaxation: %w", err)
	}
	return relaxation{m, onward}, nil
}

func (r relaxation) Add(rows []auction.Constraint) error { return r.m.add(rows) }

func (r relaxation) Solve() (packing.Point, error) {
	optimal, err := r.m.run(func(packing.Branched) bool { return r.onward() })
	if err != nil || !optimal {
		return packing.Point{}, err
	}
	columns, duals := r.m.point()
	for i := range duals {
		duals[i] = math.Max(0, -duals[i]/r.m.scale)
	}
	return packing.Point{Solved: columns != nil, Columns: columns, Duals: duals, Iterations: r.m.iterations()}, nil
}
