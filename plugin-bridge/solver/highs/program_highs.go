//go:build highs && cgo

package highs

// #cgo pkg-config: highs
// #include <util/HighsInt.h>
//
// // See engine_highs.go for why highs_c_api.h is not included.
// extern HighsInt Highs_run(void*);
// extern HighsInt Highs_setSolution(void*, const double*, const double*, const double*, const double*);
// extern HighsInt Highs_getModelStatus(const void*);
// extern HighsInt Highs_getIntInfoValue(const void*, const char*, HighsInt*);
// extern HighsInt Highs_getDoubleInfoValue(const void*, const char*, double*);
// extern HighsInt Highs_getSolution(const void*, double*, double*, double*, double*);
//
// // The outcome of a solve as far as it exists; -1 if HiGHS failed.
// static HighsInt programPoint(const void* h, HighsInt* feasible, double* values) {
// 	HighsInt status = 0;
// 	if (Highs_getIntInfoValue(h, "primal_solution_status", &status) != 0) return -1;
// 	*feasible = status == 2;
// 	return *feasible ? Highs_getSolution(h, values, 0, 0, 0) : 0;
// }
// static HighsInt programBound(const void* h, HighsInt mip, double* v) {
// 	return Highs_getDoubleInfoValue(h, mip ? "mip_dual_bound" : "objective_function_value", v);
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

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// runProgram solves a program with at least one variable and no empty row. It tells
// report of each new point, and of each better bound with a nil point.
func runProgram(p program.Program, limit time.Duration, start []float64, report func(values []float64, bound float64)) (programOutcome, error) {
	model := highs.NewRawModel()
	// The finalizer of model frees the object behind handle.
	defer runtime.KeepAlive(model)
	scale := costScale(p)
	if err := loadProgram(model, p, limit, scale); err != nil {
		return programOutcome{}, fmt.Errorf("load model: %w", err)
	}
	// RawModel's only field is the HiGHS object.
	handle := *(*unsafe.Pointer)(unsafe.Pointer(model))
	// C.double and float64 are the same in memory.
	if start != nil && C.Highs_setSolution(handle, (*C.double)(&start[0]), nil, nil, nil) < 0 {
		return programOutcome{}, errors.New("set start: HiGHS refused it")
	}
	last := math.Inf(1)
	end, err := startWatch(handle, len(p.Variables), eachStep, func(bound float64, solution []float64) bool {
		bound /= scale
		if solution != nil || bound != last && !math.IsInf(bound, 0) {
			report(slices.Clone(solution), bound)
		}
		last = bound
		return true
	})
	if err != nil {
		return programOutcome{}, err
	}
	defer end()
	// Reaching the time limit is a warning, 1, and the best point is kept.
	if C.Highs_run(handle) < 0 {
		return programOutcome{}, errors.New("run: HiGHS failed")
	}
	found := programOutcome{status: int(C.Highs_getModelStatus(handle)), bound: math.Inf(1)}
	if !p.Maximise {
		found.bound = math.Inf(-1)
	}
	mip := C.HighsInt(0)
	if slices.ContainsFunc(p.Variables, func(v program.Variable) bool { return v.Integer }) {
		mip = 1
	}
	// The objective of a linear program is a bound once it is optimal.
	var bound C.double
	if (mip == 1 || found.status == statusOptimal) && C.programBound(handle, mip, &bound) == 0 {
		found.bound = float64(bound) / scale
	}
	values := make([]C.double, len(p.Variables))
	var feasible C.HighsInt
	if C.programPoint(handle, &feasible, &values[0]) < 0 {
		return found, errors.New("read solution: HiGHS failed")
	}
	if feasible == 1 {
		for _, v := range values {
			found.values = append(found.values, float64(v))
		}
	}
	return found, nil
}

// costScale is the power of two that takes the largest cost nearest to 1e5, since HiGHS
// compares objective values with absolute tolerances that would hide small differences
// of small costs. Scaling by a power of two is exact.
func costScale(p program.Program) float64 {
	most := 0.0
	for _, v := range p.Variables {
		most = math.Max(most, math.Abs(v.Objective))
	}
	if most == 0 {
		return 1
	}
	return math.Exp2(math.Round(math.Log2(1e5 / most)))
}

func loadProgram(model *highs.RawModel, p program.Program, limit time.Duration, scale float64) error {
	n := len(p.Variables)
	lower, upper, costs := make([]float64, n), make([]float64, n), make([]float64, n)
	kinds := make([]highs.VariableType, n)
	for i, v := range p.Variables {
		lower[i], upper[i], costs[i] = v.Lower, v.Upper, v.Objective*scale
		kinds[i] = highs.ContinuousType
		if v.Integer {
			kinds[i] = highs.IntegerType
		}
	}
	steps := []error{
		model.SetBoolOption("output_flag", false),
		model.SetIntOption("threads", 1),
		model.SetFloat64Option("time_limit", limit.Seconds()),
		model.SetFloat64Option("mip_rel_gap", 0),
		model.SetFloat64Option("mip_abs_gap", 0),
		model.AddColumnBounds(lower, upper),
		model.SetColumnCosts(costs),
		model.SetMaximization(p.Maximise),
		model.SetIntegrality(kinds),
	}
	if len(p.Rows) > 0 {
		steps = append(steps, addProgramRows(model, p))
	}
	return errors.Join(steps...)
}

func addProgramRows(model *highs.RawModel, p program.Program) error {
	lower, upper := make([]float64, len(p.Rows)), make([]float64, len(p.Rows))
	starts := make([]int, len(p.Rows))
	index, value := make([]int, 0, p.NonZeros()), make([]float64, 0, p.NonZeros())
	for n, r := range p.Rows {
		lower[n], upper[n] = r.RHS, r.RHS
		switch r.Sense {
		case program.AtMost:
			lower[n] = math.Inf(-1)
		case program.AtLeast:
			upper[n] = math.Inf(1)
		}
		starts[n] = len(index)
		index = append(index, r.Variables...)
		value = append(value, r.Coefficients...)
	}
	return model.AddCompSparseRows(lower, starts, index, value, upper)
}
