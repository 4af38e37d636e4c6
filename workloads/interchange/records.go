package interchange

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/workloads"
)

// Record is when a job of a trace was submitted, on the trace's own clock, and how long it
// waited until it started, in seconds.
type Record struct{ Submit, Wait float64 }

// Records are those of the jobs that started, by the id that Import gives them without
// renumbering. Bad records, and jobs whose ids are no numbers, are left out.
func Records(src Source, format string) (map[int]Record, error) {
	if err := CheckImport(format); err != nil {
		return nil, err
	}
	found := map[int]Record{}
	err := walk(src, format, Options{Resource: Core}, nil, func(t trace) error {
		for {
			req, err := t.next()
			var fault *faults.Fault
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case errors.As(err, &fault):
				continue
			case err != nil:
				return err
			}
			id, err := strconv.Atoi(req.id)
			if err != nil || req.leftOut != "" || !req.started || req.waitUnknown || req.outcome == workloads.CancelledPending {
				continue
			}
			found[id] = Record{Submit: req.submit, Wait: max(0, req.start-req.submit)}
		}
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: starts: got no job that started, allowed are traces that say when jobs start (%s)", src.Name, strings.Join(withStarts(), ", "))
	}
	return found, err
}

// withStarts are the formats that say when jobs start.
func withStarts() []string { return []string{"swf", "sacct", "helios"} }
