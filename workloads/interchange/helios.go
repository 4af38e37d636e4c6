package interchange

import (
	"io"

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
	heliosID       = 0
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

func newHelios(name string, in io.Reader) (*fixedReader, error) {
	return newFixed(name, in, heliosColumns(), heliosRequest)
}

func heliosRequest(r *fixedRow) request {
	req := request{
		id:      r.fields[heliosID],
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
