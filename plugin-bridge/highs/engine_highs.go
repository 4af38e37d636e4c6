//go:build highs && cgo

package highs

// #cgo pkg-config: highs
// #include <util/HighsInt.h>
//
// // highs_c_api.h defines constants with external linkage, and lanl/highs has
// // it in one of its C units already: a second one would not link.
// extern const char* Highs_version(void);
// extern HighsInt Highs_setSolution(void*, const double*, const double*, const double*, const double*);
// extern HighsInt Highs_run(void*);
// extern HighsInt Highs_getModelStatus(const void*);
// extern HighsInt Highs_getIntInfoValue(const void*, const char*, HighsInt*);
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
)

// Version returns the version of HiGHS, as in "1.10.0".
func Version() string { return C.GoString(C.Highs_version()) }

func newEngine() (engine, error) { return run, nil }

// largestCost is what the largest objective coefficient is scaled to. Two bids
// of a job may differ by 1e-8 of it, because alpha is small (AUCSCHED equation
// (10)), while HiGHS compares objectives with an absolute tolerance of 1e-6:
// unscaled, it would not see preferences at all.
const largestCost = 1e5

// run solves p with HiGHS from a feasible start.
func run(p auction.Problem, start []int, limit time.Duration, seed uint32) (outcome, error) {
	// A power of two keeps the scaling exact.
	scale := math.Exp2(math.Round(math.Log2(largestCost / slices.Max(p.Objective))))
	model := highs.NewRawModel()
	// The finalizer of model frees the object behind handle.
	defer runtime.KeepAlive(model)
	if err := load(model, p, scale, limit, seed); err != nil {
		return outcome{}, fmt.Errorf("load model: %w", err)
	}
	// RawModel's only field is the HiGHS object.
	handle := *(*unsafe.Pointer)(unsafe.Pointer(model))

	values := make([]C.double, len(p.Objective))
	for _, i := range start {
		values[i] = 1
	}
	if C.Highs_setSolution(handle, &values[0], nil, nil, nil) == C.statusError {
		return outcome{}, errors.New("set start: HiGHS refused it")
	}
	// Reaching the time limit is a warning, and the incumbent is kept.
	if C.Highs_run(handle) == C.statusError {
		return outcome{}, errors.New("run: HiGHS failed")
	}

	found := outcome{bound: math.Inf(1), optimal: C.Highs_getModelStatus(handle) == C.modelStatusOptimal}
	var bound C.double
	if C.dualBound(handle, &bound) == C.statusOk {
		found.bound = float64(bound) / scale
	}
	var status C.HighsInt
	if C.primalStatus(handle, &status) != C.statusOk || status != C.solutionStatusFeasible {
		return found, nil
	}
	if C.Highs_getSolution(handle, &values[0], nil, nil, nil) != C.statusOk {
		return found, nil
	}
	found.selected = []int{}
	for i, v := range values {
		if v > 0.5 {
			found.selected = append(found.selected, i)
		}
	}
	return found, nil
}

// load fills the model. The problem has at least one column.
func load(model *highs.RawModel, p auction.Problem, scale float64, limit time.Duration, seed uint32) error {
	columns := len(p.Objective)
	costs := make([]float64, columns)
	for i, v := range p.Objective {
		costs[i] = v * scale
	}
	steps := []error{
		model.SetBoolOption("output_flag", false),
		model.SetIntOption("threads", 1),
		model.SetIntOption("random_seed", int(seed&math.MaxInt32)),
		model.SetFloat64Option("time_limit", limit.Seconds()),
		model.SetFloat64Option("mip_rel_gap", 0),
		model.SetFloat64Option("mip_abs_gap", 0),
		model.AddColumnBounds(make([]float64, columns), slices.Repeat([]float64{1}, columns)),
		model.SetColumnCosts(costs),
		model.SetMaximization(true),
		model.SetIntegrality(slices.Repeat([]highs.VariableType{highs.IntegerType}, columns)),
	}
	if len(p.Rows) > 0 {
		steps = append(steps, addRows(model, p))
	}
	return errors.Join(steps...)
}

func addRows(model *highs.RawModel, p auction.Problem) error {
	terms := p.NonZeros()
	upper := make([]float64, len(p.Rows))
	starts := make([]int, len(p.Rows))
	index := make([]int, 0, terms)
	value := make([]float64, 0, terms)
	for r, row := range p.Rows {
		if len(row.Columns) == 0 {
			return fmt.Errorf("row %s has no terms", row.Name)
		}
		upper[r] = float64(row.Bound)
		starts[r] = len(index)
		index = append(index, row.Columns...)
		for _, c := range row.Coefficients {
			value = append(value, float64(c))
		}
	}
	return model.AddCompSparseRows(slices.Repeat([]float64{math.Inf(-1)}, len(p.Rows)), starts, index, value, upper)
}
