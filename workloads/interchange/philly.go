package interchange

import (
	"io"
	"math"
	"strconv"
)

// phillyColumns are the columns of philly.csv, the trace of Microsoft's Philly as
// ElasticFlow's repository has it.
func phillyColumns() []string {
	return []string{"timestamp", "duration", "num_gpus", "gpu_time", "cluster"}
}

// The indices of the columns that are used.
const (
	phillyTime     = 0
	phillyDuration = 1
	phillyGPUs     = 2
	phillyCluster  = 4
)

// phillyNode is the number of GPUs of a node: most of Philly's servers had 8 (Jeon et
// al., ATC '19, section 2.1).
const phillyNode = 8

func newPhilly(name string, in io.Reader) (*fixedReader, error) {
	return newFixed(name, in, phillyColumns(), phillyRequest)
}

// phillyRequest is a job that has a number of GPUs and nothing else, so it asks for whole nodes of 8 GPUs, or a part of one,
// and for a core with each GPU. Jobs have no ids and are numbered by their lines, from 1.
func phillyRequest(r *fixedRow) request {
	submit := r.time(phillyTime)
	duration, err := strconv.ParseFloat(r.fields[phillyDuration], 64)
	if err != nil || !(duration >= 0) || math.IsInf(duration, 0) {
		r.fault(phillyDuration, "a number of seconds, not negative")
	}
	gpus, err := strconv.ParseUint(r.fields[phillyGPUs], 10, 16)
	if err != nil || gpus == 0 {
		r.fault(phillyGPUs, "a whole number from 1")
	}
	return request{
		id: strconv.Itoa(r.line - 1), submit: submit, runtime: duration,
		nodes: (int(gpus) + phillyNode - 1) / phillyNode, cores: int(gpus), gpus: int(gpus),
		// A virtual cluster of Philly is a partition of Slurm.
		unused: unused{partition: r.fields[phillyCluster]},
	}
}
