//go:build highs && cgo

package highs

// #include <stdint.h>
import "C"

import (
	"runtime/cgo"
	"unsafe"

	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// watch is what HiGHS calls back about a search: the number of columns, the scale of
// the objective, and the function to be told.
type watch struct {
	columns int
	scale   float64
	report  func(packing.Branched) bool
}

// watchFromC runs on HiGHS's thread, with the bound of the minimisation, and a
// solution where there is a new one. It returns 1 to end the search.
//
//export watchFromC
func watchFromC(handle C.uintptr_t, bound C.double, solution *C.double) C.int {
	w := cgo.Handle(handle).Value().(watch)
	found := packing.Branched{Bound: -float64(bound) / w.scale}
	if solution != nil {
		found.Selected = selectedOf(unsafe.Slice((*float64)(solution), w.columns))
	}
	if w.report(found) {
		return 0
	}
	return 1
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
