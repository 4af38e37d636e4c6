package interchange

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Record is when a job of a trace was submitted, on the trace's own clock, and how long it
// waited until it started, in seconds.
type Record struct{ Submit, Wait float64 }

// Records returns the records of the jobs that started, by the id that Import gives them without renumbering. Bad
// records, and jobs whose ids are no numbers, are left out.
func Records(src records.Source, format string) (map[int]Record, error) {
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

// Extent is what a trace shows of the time that it covers. A dump of sacct has the jobs that had not ended when it begins, whenever they
// were submitted (sacct(1), --starttime), and says nothing of those that had. So it may lack jobs before the first end, and no job after.
type Extent struct {
	// FirstEnd is when the first job ended, on the trace's own clock, and infinite where none did.
	FirstEnd float64
	// Running are the jobs that still ran when the trace was taken.
	Running []Running
}

// Running is a job that still ran when a trace was taken: when it started, and what it held. CPUs are Slurm's, threads where nodes have
// several for a core.
type Running struct {
	Start      float64
	CPUs, GPUs int
	// Lasts says that Import takes it, up to its time limit, into a workload that begins with the state of the cluster.
	Lasts bool
}

// ExtentOf reads the extent of a trace. Bad records are left out.
func ExtentOf(src records.Source, format string) (Extent, error) {
	if err := errors.Join(CheckImport(format), checkTable(format, nil)); err != nil {
		return Extent{}, err
	}
	found := Extent{FirstEnd: math.Inf(1)}
	err := walk(src, format, ImportOptions{Resource: Core}, nil, func(t trace) error {
		return eachGood(t, func(req request) {
			switch {
			// The steps of a job that had not ended may have ended before.
			case req.leftOut == step:
			case req.leftOut == notEnded && req.started:
				found.Running = append(found.Running, Running{Start: req.start, CPUs: req.cores, GPUs: req.gpus, Lasts: req.lasts})
			case req.end > 0:
				found.FirstEnd = min(found.FirstEnd, req.end)
			case req.leftOut == "" && req.started:
				found.FirstEnd = min(found.FirstEnd, req.start+req.runtime)
			}
		})
	})
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
