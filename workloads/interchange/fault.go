package interchange

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// ErrWrite is in the chain of every error that is not the trace's fault.
var ErrWrite = errors.New("write jobs")

// maxReported bounds the faults of one error: a file in the wrong format has
// one on every line.
const maxReported = 20

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

// tally keeps the first faults of a trace and counts the others.
type tally struct {
	name  string
	first []string
	count int
}

func (t *tally) add(f *Fault) {
	t.count++
	if len(t.first) < maxReported {
		t.first = append(t.first, t.name+":"+f.Error())
	}
}

// err is nil without faults, else one error with one line a fault.
func (t *tally) err() error {
	if t.count == 0 {
		return nil
	}
	text := strings.Join(t.first, "\n")
	if more := t.count - len(t.first); more > 0 {
		text += fmt.Sprintf("\n%s: %d more faults", t.name, more)
	}
	return errors.New(text)
}
