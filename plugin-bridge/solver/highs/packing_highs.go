//go:build highs && cgo

package highs

// #cgo pkg-config: highs
// #include <stdint.h>
// #include <util/HighsInt.h>
//
// // highs_c_api.h defines constants with external linkage, and lanl/highs has
// // it in one of its C units already: a second one would not link.
// extern const char* Highs_version(void);
// extern HighsInt Highs_setSolution(void*, const double*, const double*, const double*, const double*);
// extern HighsInt Highs_run(void*);
// extern HighsInt Highs_getModelStatus(const void*);
// extern HighsInt Highs_getIntInfoValue(const void*, const char*, HighsInt*);
// extern HighsInt Highs_getInt64InfoValue(const void*, const char*, int64_t*);
// extern HighsInt Highs_getDoubleInfoValue(const void*, const char*, double*);
// extern HighsInt Highs_getSolution(const void*, double*, double*, double*, double*);
//
// // Values of the constants of the same names in highs_c_api.h.
// enum { statusError = -1, statusOk = 0 };
// enum { solutionStatusFeasible = 2 };
// enum { modelStatusOptimal = 7 };
//
// // Names of infos, so that Go need not allocate C strings.
// static HighsInt primalStatus(const void* h, HighsInt* v) {
// 	return Highs_getIntInfoValue(h, "primal_solution_status", v);
// }
// static HighsInt iterations(const void* h, HighsInt* v) {
// 	return Highs_getIntInfoValue(h, "simplex_iteration_count", v);
// }
// static int64_t nodes(const void* h) {
// 	int64_t n = 0;
// 	return Highs_getInt64InfoValue(h, "mip_node_count", &n) == statusOk ? n : 0;
// }
// static HighsInt dualBound(const void* h, double* v) {
// 	return Highs_getDoubleInfoValue(h, "mip_dual_bound", v);
// }
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/lanl/highs"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// Version returns the version of HiGHS, as in "1.10.0".
func Version() string { return C.GoString(C.Highs_version()) }

// largestCost is what the largest objective coefficient is scaled to. Two bids of a job may differ by 1e-8 of it,
// because alpha is small (AUCSCHED equation (10)), while HiGHS compares objectives with an absolute tolerance of
// 1e-6. Without scaling, HiGHS would take bids of different preference for equal.
const largestCost = 1e5

// packed is a packing problem inside HiGHS. It is written as a minimum of the negative
// objective, for which HiGHS's duals are never positive.
type packed struct {
	// The finalizer of model frees the object behind handle. Each method ends
	// with model alive.
	model  *highs.RawModel
	handle unsafe.Pointer
	// scale is what objectives are multiplied by.
	scale         float64
	columns, rows int
}

// newPacked loads p, with at least one column.
func newPacked(p auction.Problem, limit time.Duration) (*packed, error) {
	model := highs.NewRawModel()
	m := &packed{
		// A power of two keeps the scaling exact.
		scale: math.Exp2(math.Round(math.Log2(largestCost / slices.Max(p.Objective)))),
		model: model, columns: len(p.Objective),
		// RawModel's only field is the HiGHS object.
		handle: *(*unsafe.Pointer)(unsafe.Pointer(model)),
	}
	costs := make([]float64, m.columns)
	for i, v := range p.Objective {
		costs[i] = -v * m.scale
	}
	err := errors.Join(
		model.SetBoolOption("output_flag", false),
		model.SetIntOption("threads", 1),
		model.SetFloat64Option("time_limit", limit.Seconds()),
		model.AddColumnBounds(make([]float64, m.columns), slices.Repeat([]float64{1}, m.columns)),
		model.SetColumnCosts(costs),
	)
	return m, errors.Join(err, m.add(p.Rows))
}

// add appends rows with at least one term each.
func (m *packed) add(rows []auction.Constraint) error {
	if len(rows) == 0 {
		return nil
	}
	upper := make([]float64, len(rows))
	starts := make([]int, len(rows))
	var index []int
	var value []float64
	for r, row := range rows {
		if len(row.Columns) == 0 {
			return fmt.Errorf("row %s has no terms", row.Name())
		}
		upper[r] = float64(row.Bound)
		starts[r] = len(index)
		index = append(index, row.Columns...)
		for _, c := range row.Coefficients {
			value = append(value, float64(c))
		}
	}
	m.rows += len(rows)
	return m.model.AddCompSparseRows(slices.Repeat([]float64{math.Inf(-1)}, len(rows)), starts, index, value, upper)
}

// start hands HiGHS a selection to begin with.
func (m *packed) start(selected []int) error {
	defer runtime.KeepAlive(m.model)
	values := make([]C.double, m.columns)
	for _, i := range selected {
		values[i] = 1
	}
	if C.Highs_setSolution(m.handle, &values[0], nil, nil, nil) == C.statusError {
		return errors.New("set start: HiGHS refused it")
	}
	return nil
}

// run solves and returns whether HiGHS found the optimum. It calls report with the
// state of the search as it goes. Reaching the time limit is no error, and the best
// selection found is kept.
func (m *packed) run(report func(packing.Branched) bool) (optimal bool, err error) {
	defer runtime.KeepAlive(m.model)
	end, err := startWatch(m.handle, m.columns, eachPivot, func(bound float64, solution []float64) bool {
		found := packing.Branched{Bound: -bound / m.scale}
		if solution != nil {
			found.Selected = selectedOf(solution)
		}
		return report(found)
	})
	if err != nil {
		return false, err
	}
	defer end()
	if C.Highs_run(m.handle) == C.statusError {
		return false, errors.New("run: HiGHS failed")
	}
	return C.Highs_getModelStatus(m.handle) == C.modelStatusOptimal, nil
}

func selectedOf(values []float64) []int {
	selected := []int{}
	for i, v := range values {
		if v > 0.5 {
			selected = append(selected, i)
		}
	}
	return selected
}

// point returns the values of the columns and the duals of the rows, nil if
// there is no feasible point.
func (m *packed) point() (columns, duals []float64) {
	defer runtime.KeepAlive(m.model)
	var status C.HighsInt
	if C.primalStatus(m.handle, &status) != C.statusOk || status != C.solutionStatusFeasible {
		return nil, nil
	}
	columns, duals = make([]float64, m.columns), make([]float64, m.rows+1)
	// C.double and float64 are the same in memory.
	if C.Highs_getSolution(m.handle, (*C.double)(&columns[0]), nil, nil, (*C.double)(&duals[0])) != C.statusOk {
		return nil, nil
	}
	return columns, duals[:m.rows]
}

// bound is the proven upper bound of an integer program.
func (m *packed) bound() float64 {
	defer runtime.KeepAlive(m.model)
	var bound C.double
	if C.dualBound(m.handle, &bound) != C.statusOk {
		return math.Inf(1)
	}
	return -float64(bound) / m.scale
}

// nodes counts the nodes of the last search.
func (m *packed) nodes() int {
	defer runtime.KeepAlive(m.model)
	return int(C.nodes(m.handle))
}

// iterations counts the simplex iterations of the last run.
func (m *packed) iterations() int {
	defer runtime.KeepAlive(m.model)
	var n C.HighsInt
	C.iterations(m.handle, &n)
	return int(n)
}
