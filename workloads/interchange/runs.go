package interchange

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Reasons for leaving out a record whose job has another one.
const (
	earlierRun = "earlier runs of jobs that were requeued"
	Repeated   = "records that are there twice"
)

// runs say which records of a dump are no jobs because their job has a later record. "sacct --duplicates" has a record for each run of a job that was
// requeued, and one for each size of a job that was resized. Without it sacct shows the record of the last submission
// ("order by id_job, time_submit desc" in src/plugins/accounting_storage/mysql/as_mysql_jobacct_process.c), and so does slurmlab.
type runs struct {
	// leftOut has the reason by the number of the record, from 1.
	leftOut map[int]string
	// of has the ids of jobs with several records.
	of map[string]bool
}

// jobRun is one record of a job that has several.
type jobRun struct {
	submit, start float64
	record        int
	user          string
}

// duplicated collects the ids that are there more than once.
type duplicated struct {
	seen *ids
	of   map[string]bool
}

func newDuplicated() *duplicated { return &duplicated{newIDs(), map[string]bool{}} }

func (d *duplicated) add(id string) {
	if !d.seen.add(id) {
		d.of[strings.Clone(id)] = true
	}
}

// findRuns reads the trace for the records of these jobs. With each, every run is a job of its own. Records of another user than the last
// one's belong to a cluster that began to count again: they are jobs, whose ids must differ.
func findRuns(src records.Source, format string, o ImportOptions, of map[string]bool) (runs, error) {
	found := runs{map[int]string{}, of}
	if len(of) == 0 {
		return found, nil
	}
	all := map[string][]jobRun{}
	err := walk(src, format, o, nil, func(t trace) error {
		return eachGood(found.filter(t), func(req request) {
			if of[req.id] {
				all[req.id] = append(all[req.id], jobRun{req.submit, req.start, req.record, strings.Clone(req.user.text)})
			}
		})
	})
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b jobRun) int { return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.start, b.start)) })
		last := list[len(list)-1]
		for i, run := range list[:len(list)-1] {
			switch next := list[i+1]; {
			case run.submit == next.submit && run.start == next.start && run.user == next.user:
				found.leftOut[run.record] = Repeated
			case !o.Renumber && run.user == last.user:
				found.leftOut[run.record] = earlierRun
			}
		}
	}
	return found, err
}

// eachGood hands on the records of a trace that are not bad.
func eachGood(t trace, use func(request)) error {
	for {
		req, err := t.next()
		var fault *faults.Fault
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &fault):
		case err != nil:
			return err
		default:
			use(req)
		}
	}
}

// filter is the trace without the records that are no jobs.
func (r runs) filter(t trace) trace { return &lastRuns{trace: t, runs: r} }

type lastRuns struct {
	trace
	runs    runs
	records int
}

func (l *lastRuns) next() (request, error) {
	req, err := l.trace.next()
	l.records++
	req.record = l.records
	if reason := l.runs.leftOut[req.record]; reason != "" {
		req.leftOut = reason
	}
	return req, err
}
