package interchange

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// phillyHeader is the first line of philly.csv, the trace of Microsoft's Philly as
// ElasticFlow's repository has it.
const phillyHeader = "timestamp,duration,num_gpus,gpu_time,cluster"

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

// phillyReader reads philly.csv. A job has a number of GPUs and nothing else, so it asks for
// whole nodes of 8 GPUs, or a part of one, and for a core with each GPU.
type phillyReader struct{ in *lines }

func newPhilly(name string, in io.Reader) (*phillyReader, error) {
	p := &phillyReader{in: newLines(name, in)}
	header, err := p.in.header()
	if err != nil {
		return nil, err
	}
	if header != phillyHeader {
		return nil, fmt.Errorf("%s:1: header: got %s, allowed %s", name, faults.Quote(header), phillyHeader)
	}
	return p, nil
}

func (p *phillyReader) header() []string { return nil }

// epoch is that of Unix: times without a zone are read as UTC.
func (p *phillyReader) epoch() (float64, bool) { return 0, true }

// next numbers the jobs by their lines, since they have no ids, from 1.
func (p *phillyReader) next() (request, error) {
	text, err := p.in.filled()
	if err != nil {
		return request{}, err
	}
	line := p.in.number
	fields := strings.Split(string(text), ",")
	if want := strings.Count(phillyHeader, ",") + 1; len(fields) != want {
		return request{}, badCount(line, len(fields), want, "commas")
	}
	submit, err := time.Parse(time.DateTime, fields[phillyTime])
	if err != nil {
		return request{}, badField(line, "timestamp", fields[phillyTime], "YYYY-MM-DD HH:MM:SS")
	}
	duration, err := strconv.ParseFloat(fields[phillyDuration], 64)
	if err != nil || !(duration >= 0) || math.IsInf(duration, 0) {
		return request{}, badField(line, "duration", fields[phillyDuration], "a number of seconds, not negative")
	}
	gpus, err := strconv.ParseUint(fields[phillyGPUs], 10, 16)
	if err != nil || gpus == 0 {
		return request{}, badField(line, "num_gpus", fields[phillyGPUs], "a whole number from 1")
	}
	return request{
		line: line, id: strconv.Itoa(line - 1), submit: float64(submit.Unix()), runtime: duration,
		nodes: (int(gpus) + phillyNode - 1) / phillyNode, cores: int(gpus), gpus: int(gpus),
		// A virtual cluster of Philly is a partition of Slurm.
		unused: unused{partition: fields[phillyCluster]},
	}, nil
}
