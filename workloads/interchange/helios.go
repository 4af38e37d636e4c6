package interchange

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/workloads"
)

// heliosColumns are the columns of cluster_log.csv (README of SenseTime's
// HeliosData, "Schema"), in their order.
func heliosColumns() []string {
	return []string{
		"job_id", "user", "vc", "gpu_num", "cpu_num", "node_num",
		"state", "submit_time", "start_time", "end_time", "duration", "queue",
	}
}

// The indices of the columns that are used.
const (
	heliosJob      = 0
	heliosUser     = 1
	heliosVC       = 2
	heliosGPUs     = 3
	heliosCores    = 4
	heliosNodes    = 5
	heliosState    = 6
	heliosSubmit   = 7
	heliosStart    = 8
	heliosEnd      = 9
	heliosDuration = 10
)

type heliosReader struct{ in *lines }

func newHelios(name string, in io.Reader) (*heliosReader, error) {
	h := &heliosReader{in: newLines(name, in)}
	header, err := h.in.header()
	if err != nil {
		return nil, err
	}
	if !slices.Equal(strings.Split(header, ","), heliosColumns()) {
		return nil, fmt.Errorf("%s:1: header: got %s, allowed %s", name, faults.Quote(header), strings.Join(heliosColumns(), ","))
	}
	return h, nil
}

func (h *heliosReader) header() []string { return nil }

// epoch is that of Unix: times without a zone are read as UTC.
func (h *heliosReader) epoch() (float64, bool) { return 0, true }

func (h *heliosReader) next() (request, error) {
	line, err := h.in.filled()
	if err != nil {
		return request{}, err
	}
	fields := strings.Split(string(line), ",")
	if want := len(heliosColumns()); len(fields) != want {
		return request{}, badCount(h.in.number, len(fields), want, "commas")
	}
	row := heliosRow{line: h.in.number, fields: fields}
	req := row.request()
	return req, row.bad
}

// heliosRow reads the values of one record; the first bad one is kept.
type heliosRow struct {
	line   int
	fields []string
	bad    error
}

func (r *heliosRow) fault(column int, allowed string) {
	if r.bad == nil {
		r.bad = badField(r.line, heliosColumns()[column], r.fields[column], allowed)
	}
}

func (r *heliosRow) request() request {
	req := request{
		line:    r.line,
		id:      r.fields[heliosJob],
		user:    user{text: r.fields[heliosUser]},
		submit:  r.time(heliosSubmit),
		runtime: float64(r.count(heliosDuration)),
	}
	// A virtual cluster of Helios is a partition of Slurm.
	req.unused = unused{partition: r.fields[heliosVC]}
	ran := !isNever(r.fields[heliosStart])
	switch cancelled := r.fields[heliosState] == "CANCELLED"; {
	case cancelled && (!ran || req.runtime == 0) && !isNever(r.fields[heliosEnd]):
		req.outcome, req.runtime, req.cancelAfter = workloads.CancelledPending, 0, r.time(heliosEnd)-req.submit
		if req.cancelAfter < 1 {
			req.leftOut = neverRan
			return req
		}
	case !ran:
		req.leftOut = neverRan
		return req
	default:
		req.start, req.started = r.time(heliosStart), true
		req.outcome, req.unused.state = outcomeOf(r.fields[heliosState])
	}
	req.nodes, req.cores, req.gpus = r.count(heliosNodes), r.count(heliosCores), r.count(heliosGPUs)
	for _, column := range []int{heliosNodes, heliosCores} {
		if r.count(column) == 0 {
			r.fault(column, "a whole number from 1")
		}
	}
	return req
}

// isNever says that a time is that of nothing.
func isNever(text string) bool { return text == "" || text == "None" || text == "Unknown" }

func (r *heliosRow) count(column int) int {
	n, err := strconv.ParseUint(r.fields[column], 10, 31)
	if err != nil {
		r.fault(column, "a whole number, not negative")
	}
	return int(n)
}

// time is Unix seconds of a local time without a zone.
func (r *heliosRow) time(column int) float64 {
	t, err := time.Parse(time.DateTime, r.fields[column])
	if err != nil {
		r.fault(column, "YYYY-MM-DD HH:MM:SS")
	}
	return float64(t.Unix())
}
