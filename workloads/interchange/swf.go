package interchange

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// The fields of an SWF line, counted from 0 (Standard Workload Format 2.2,
// "The Data Fields"). -1 stands for what is unknown.
const (
	swfJob = iota
	swfSubmit
	swfWait
	swfRun
	swfProcs
	swfCPU
	swfMemory
	swfReqProcs
	swfReqTime
	swfReqMemory
	swfStatus
	swfUser
	swfGroup
	swfExecutable
	swfQueue
	swfPartition
	swfPreceding
	swfThink
	swfFields
)

// swfNames are the standard's names of the fields.
func swfNames() [swfFields]string {
	return [swfFields]string{
		"job number", "submit time", "wait time", "run time", "allocated processors",
		"average CPU time", "used memory", "requested processors", "requested time",
		"requested memory", "status", "user ID", "group ID", "executable number",
		"queue number", "partition number", "preceding job number", "think time",
	}
}

// swfReader reads the jobs of an SWF trace.
type swfReader struct {
	in    *records.Lines
	about []string
	// began is the Unix time of the trace's time 0, 0 if not known.
	began float64
	// comments is the number of comments that about has not, dropped are the keys of these, and keyless is how many have none.
	comments, keyless int
	dropped           names
	// frontier says that a job names this cluster.
	frontier bool
}

func newSWF(name string, in io.Reader) *swfReader {
	return &swfReader{in: records.NewLines(name, in)}
}

func (s *swfReader) header() []string {
	about := slices.Clone(s.about)
	if s.frontier {
		about = append(about, "Frontier of OLCF, 2024-25", "cite the authors of the trace, Job Scheduling Strategies for Parallel Processing (JSSPP) 2026")
	}
	if s.comments > 0 {
		dropped := "not kept of the header: " + text.Plural(s.comments, "comment")
		if len(s.dropped) > 0 {
			dropped += " (" + s.dropped.text() + ")"
		}
		if s.keyless > 0 {
			dropped += fmt.Sprintf(", %d of them without a key", s.keyless)
		}
		about = append(about, dropped)
	}
	return about
}

func (s *swfReader) epoch() (float64, bool) { return s.began, s.began > 0 }

func (s *swfReader) next() (request, error) {
	for {
		line, err := s.in.Next()
		if err != nil {
			return request{}, err
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case line[0] == ';':
			s.comment(string(line[1:]))
		default:
			values, extras, err := parseSWF(s.in.Number, line)
			if err != nil {
				return request{}, err
			}
			var more extended
			if len(extras) > 0 {
				if more, err = parseExtended(s.in.Number, extras); err != nil {
					return request{}, err
				}
			}
			s.frontier = s.frontier || more.frontier
			if more.nodes > 0 {
				// The properties are what the job asked for. The standard's processors are unreliable in Frontier's trace.
				values[swfReqProcs], values[swfProcs] = float64(more.nodes*more.processors), -1
			}
			req, err := swfRequest(s.in.Number, values)
			more.take(&req)
			return req, err
		}
	}
}

// comment keeps the header comments that say what machine and time the trace
// is of, and counts the others by their keys.
func (s *swfReader) comment(line string) {
	key, value, keyed := strings.Cut(line, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if began, known := unixStart(value); known && key == "UnixStartTime" {
		s.began = began
	}
	switch {
	case strings.Trim(line, "; \t-=*#_") == "", keyed && value == "":
		// These lines separate others, or leave a value open ("; Note:").
		return
	case !keyed:
		s.comments++
		s.keyless++
		return
	case slices.Contains(swfKept(), key) && len(value) <= 200 && len(s.about) < 12:
		// The keys are few, but a broken file may repeat them.
		s.about = append(s.about, key+" "+value)
		return
	case len(key) > 40:
		key = key[:40]
	}
	s.comments++
	s.dropped.add(key)
}

// swfKept are the keys of header comments that the record of an import has.
func swfKept() []string {
	return []string{"Computer", "Installation", "MaxNodes", "MaxProcs", "UnixStartTime", "TimeZoneString"}
}

// swfCounts says whether a field that is used here is a whole number; times may
// have fractions.
func swfCounts(field int) bool {
	switch field {
	case swfJob, swfProcs, swfReqProcs, swfStatus, swfUser, swfQueue, swfPartition:
		return true
	}
	return false
}

// parseSWF reads the 18 numbers of a line, and returns the words behind them if the line is of the extended format.
func parseSWF(number int, line []byte) ([swfFields]float64, []string, error) {
	var values [swfFields]float64
	var extras []string
	var fault error
	field := 0
	for rest := line; len(rest) > 0; field++ {
		end := bytes.IndexAny(rest, " \t")
		if end < 0 {
			end = len(rest)
		}
		switch {
		case field >= swfFields+swfExtras:
		case field >= swfFields:
			extras = append(extras, string(rest[:end]))
		default:
			v, ok := parseNumber(rest[:end])
			if bad := !ok || v < -1 || v != math.Trunc(v) && swfCounts(field); bad && fault == nil {
				fault = records.BadField(number, swfNames()[field], string(rest[:end]), "a number from 0, or -1 for unknown")
			}
			values[field] = v
		}
		rest = bytes.TrimLeft(rest[end:], " \t")
	}
	if field != swfFields && field != swfFields+swfExtras {
		fault = records.BadCount(number, field, swfFields, "spaces")
	}
	return values, extras, fault
}

// parseNumber reads a finite decimal number below 10^15, which a float64 holds
// exactly when it is whole.
func parseNumber(text []byte) (float64, bool) {
	const most = 1e15
	whole := 0
	for i, c := range text {
		if c < '0' || c > '9' || i > 14 {
			v, err := strconv.ParseFloat(string(text), 64)
			return v, err == nil && math.Abs(v) < most
		}
		whole = 10*whole + int(c-'0')
	}
	return float64(whole), len(text) > 0
}

// swfRequest is the job of a line. What was asked for comes before what was
// allocated: machines round allocations up to whole nodes. Status 0 is a job that failed,
// 5 one that was cancelled.
func swfRequest(line int, v [swfFields]float64) (request, error) {
	req := request{line: line, id: strconv.FormatInt(int64(v[swfJob]), 10), submit: v[swfSubmit], runtime: v[swfRun]}
	switch status := v[swfStatus]; {
	case status >= 2 && status <= 4:
		// "the summary of the whole job" has status 0 or 1, its bursts 2 to 4.
		req.leftOut = burst
		return req, nil
	case status == 5 && v[swfRun] <= 0 && v[swfWait] >= 1:
		// The wait time is that until the end, as the job never started.
		req.outcome, req.cancelAfter, req.runtime = workloads.CancelledPending, math.Floor(v[swfWait]), 0
	case v[swfRun] < 0, v[swfRun] == 0 && status == 5:
		req.leftOut = neverRan
		return req, nil
	case status == 5:
		req.outcome = workloads.Cancelled
	case status == 0:
		req.outcome = workloads.Failed
	}
	if req.submit < 0 {
		return req, records.BadField(line, swfNames()[swfSubmit], "-1", "0 or more seconds")
	}
	procs := v[swfReqProcs]
	if procs < 1 {
		procs = v[swfProcs]
	}
	if procs < 1 {
		// Both fields may be -1, "unknown"; one such record must not stop a whole trace.
		req.leftOut = noCores
		return req, nil
	}
	if allocated := v[swfProcs]; allocated >= 1 && allocated != procs {
		req.unequal = 1
	}
	req.cores = size(procs)
	req.limit = math.Max(0, v[swfReqTime])
	// Without a wait time a job is taken to have started at once, as in logs that have
	// start times for submit times.
	req.start, req.started = req.submit+math.Max(0, v[swfWait]), req.outcome != workloads.CancelledPending
	req.waitUnknown = v[swfWait] < 0
	req.unused = swfUnused(v)
	if v[swfUser] >= 0 {
		req.user = user{text: strconv.FormatInt(int64(v[swfUser]), 10), number: true}
	}
	return req, nil
}

// swfUnused is what a workload has no word for.
func swfUnused(v [swfFields]float64) unused {
	u := unused{memory: v[swfReqMemory] > 0}
	if v[swfPartition] >= 0 {
		u.partition = strconv.Itoa(int(v[swfPartition]))
	}
	if v[swfQueue] >= 0 {
		u.queue = strconv.Itoa(int(v[swfQueue]))
	}
	return u
}
