//go:build highs && cgo

package highs

// #include <stdint.h>
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// watch is what startWatch was given.
type watch struct {
	columns int
	report  func(bound float64, solution []float64) bool
}

// watchFromC runs on HiGHS's thread. The solution is HiGHS's own memory. It returns 1
// to end the search.
//
//export watchFromC
func watchFromC(handle C.uintptr_t, bound C.double, solution *C.double) C.int {
	w := cgo.Handle(handle).Value().(watch)
	var values []float64
	if solution != nil {
		values = unsafe.Slice((*float64)(solution), w.columns)
	}
	if w.report(float64(bound), values) {
		return 0
	}
	return 1
}
