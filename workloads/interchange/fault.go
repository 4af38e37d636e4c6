package interchange

import (
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/workloads"
)

// ErrWrite is in the chain of every error that is not the trace's fault.
var ErrWrite = errors.New("write jobs")

// Fault is what is wrong with one record of a trace.
type Fault struct {
	// Line is where the record starts, from 1.
	Line int
	// Text names the field, what it has and what is allowed there.
	Text string
}

func (f *Fault) Error() string { return fmt.Sprintf("%d: %s", f.Line, f.Text) }

// badField is the fault of a field that has the text got.
func badField(line int, field, got, allowed string) *Fault {
	return &Fault{Line: line, Text: fmt.Sprintf("%s: got %s, allowed %s", field, workloads.Quote(got), allowed)}
}
