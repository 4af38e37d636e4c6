//go:build highs && cgo

package highs

// #include <stdint.h>
// #include <util/HighsInt.h>
// #include <lp_data/HighsCallbackStruct.h>
//
// // See packing_highs.go for why highs_c_api.h is not included.
// extern HighsInt Highs_setCallback(void*, HighsCCallbackType, void*);
// extern HighsInt Highs_startCallback(void*, int);
//
// // Values of the constants of the same names in highs_c_api.h.
// enum { callbackSimplexInterrupt = 1, callbackImprovingSolution = 4, callbackInterrupt = 6 };
//
// // watchFromC is in watch_highs.go.
// extern int watchFromC(uintptr_t watch, double bound, double* solution);
// static void forward(int type, const char* message, const HighsCallbackDataOut* out,
// 		HighsCallbackDataIn* in, void* watch) {
// 	double* solution = type == callbackImprovingSolution ? out->mip_solution : 0;
// 	int stop = watchFromC((uintptr_t)watch, out->mip_dual_bound, solution);
// 	if (type != callbackImprovingSolution) in->user_interrupt = stop;
// }
// static int startWatch(void* h, uintptr_t watch, int eachPivot) {
// 	return Highs_setCallback(h, forward, (void*)watch) == 0 &&
// 		(!eachPivot || Highs_startCallback(h, callbackSimplexInterrupt) == 0) &&
// 		Highs_startCallback(h, callbackImprovingSolution) == 0 &&
// 		Highs_startCallback(h, callbackInterrupt) == 0;
// }
import "C"

import (
	"errors"
	"runtime/cgo"
	"unsafe"
)

// When HiGHS calls back: between the steps of its branch and bound, or also at each pivot of its simplex method,
// where the bound is then not set.
const (
	eachStep  = 0
	eachPivot = 1
)

// startWatch has HiGHS tell report about the search of the model behind handle: the
// bound of its objective, and a solution of so many columns where there is a new one.
// The search ends when report returns false. The returned function ends the watch.
func startWatch(handle unsafe.Pointer, columns, when int, report func(bound float64, solution []float64) bool) (end func(), err error) {
	own := cgo.NewHandle(watch{columns, report})
	if C.startWatch(handle, C.uintptr_t(own), C.int(when)) == 0 {
		own.Delete()
		return nil, errors.New("watch: HiGHS refused it")
	}
	return own.Delete, nil
}
