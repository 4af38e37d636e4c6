package records

import (
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// ErrWrite is in the chain of every error that is not the trace's fault.
var ErrWrite = errors.New("write jobs")

// Bad is what is wrong with one record of a trace. Line is where the record starts, from 1.
func Bad(line int, field, problem, allowed string) *faults.Fault {
	return &faults.Fault{Line: line, Field: field, Problem: problem, Allowed: allowed}
}

// BadField is the fault of a field that has the text got.
func BadField(line int, field, got, allowed string) *faults.Fault {
	return Bad(line, field, "got "+faults.Quote(got), allowed)
}

// BadCount is the fault of a record with too many fields or too few.
func BadCount(line, got, want int, separator string) *faults.Fault {
	return Bad(line, "fields", fmt.Sprintf("got %d", got), fmt.Sprintf("%d separated by %s", want, separator))
}
