package interchange

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// Record is when a job of a trace was submitted, on the trace's own clock, and how long it
// waited until it started, in seconds.
type Record struct{ Submit, Wait float64 }

// Records returns the records of the jobs that started, by the id that Import gives them without renumbering. Bad
// records, and jobs whose ids are no numbers, are left out.
func Records(src Source, format string) (map[int]Record, error) {
	if err := errors.Join(CheckImport(format), checkTable(format, nil)); err != nil {
		return nil, err
	}
	o := ImportOptions{Resource: Core}
	first, err := survey(src, format, o)
	if err != nil {
		return nil, err
	}
	found := map[int]Record{}
	err = walk(src, format, o, nil, func(t trace) error {
		return eachGood(first.runs.filter(t), func(req request) {
			id, idErr := strconv.Atoi(req.id)
			if idErr != nil || req.leftOut != "" || !req.started || req.waitUnknown || req.outcome == workloads.CancelledPending {
				return
			}
			found[id] = Record{Submit: req.submit, Wait: max(0, req.start-req.submit)}
		})
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: starts: got no job that started, allowed are traces that say when jobs start (%s)", src.Name, strings.Join(FormatsWithStarts(), ", "))
	}
	return found, err
}

// FormatsWithStarts are the built-in formats that say when jobs start.
func FormatsWithStarts() []string {
	var list []string
	for _, b := range builtins() {
		if b.starts {
			list = append(list, b.Name)
		}
	}
	for _, t := range Tables() {
		if t.knowsStart() {
			list = append(list, t.Name)
		}
	}
	return list
}
