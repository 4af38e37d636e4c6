package interchange

import (
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// ErrWrite is in the chain of every error that is not the trace's fault.
var ErrWrite = errors.New("write jobs")

// badRecord is what is wrong with one record of a trace. Line is where the record starts, from 1.
func badRecord(line int, field, problem, allowed string) *faults.Fault {
	return &faults.Fault{Line: line, Field: field, Problem: problem, Allowed: allowed}
}

// badField is the fault of a field that has the text got.
func badField(line int, field, got, allowed string) *faults.Fault {
	return badRecord(line, field, "got "+faults.Quote(got), allowed)
}

// badCount is the fault of a record with too many fields or too few.
func badCount(line, got, want int, separator string) *faults.Fault {
	return badRecord(line, "fields", fmt.Sprintf("got %d", got), fmt.Sprintf("%d separated by %s", want, separator))
}
