package interchange

import (
	"errors"
	"io"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Holding is what a record says of the nodes that a job held, for package infer.
type Holding struct {
	Line int
	ID   string
	// Start, Runtime and Limit are seconds; Limit 0 means that none is known, and Unlimited that there was none.
	Start, Runtime, Limit float64
	Unlimited             bool
	// Nodes, Cores and GPUs are totals. Asked are the CPUs of ReqTRES, 0 where unknown.
	Nodes, Cores, GPUs, Asked int
	// Hosts are the site's nodes, a hostlist, and TRES is AllocTRES. These and the others are "" where unknown.
	Hosts, TRES, Partition, QOS, Features string
	// Unused is the reason why the record tells nothing of the nodes, "" if it does.
	Unused string
}

// Holdings gives each record of a trace to use. The faults of records, and those that use finds in them, are added to bad. The header is what
// the trace said of itself.
func Holdings(src records.Source, format string, bad *faults.List, use func(Holding) *faults.Fault) (header []string, err error) {
	err = walk(src, format, ImportOptions{}, nil, func(t trace) error {
		for {
			req, wrong := t.next()
			var fault *faults.Fault
			switch {
			case errors.Is(wrong, io.EOF):
				header = t.header()
				return nil
			case errors.As(wrong, &fault):
				bad.Add(fault.Line, fault)
				continue
			case wrong != nil:
				return wrong
			}
			if fault := use(req.holding()); fault != nil {
				bad.Add(fault.Line, fault)
			}
		}
	})
	return header, err
}

func (r *request) holding() Holding {
	h := Holding{
		Line: r.line, ID: r.id, Start: r.start, Runtime: r.runtime, Limit: r.limit, Unlimited: r.held.unlimited,
		Nodes: r.nodes, Cores: r.cores, GPUs: r.gpus, Asked: r.held.asked,
		Hosts: r.hosts, TRES: r.held.tres, Partition: r.recorded.Partition, QOS: r.ruled.QOS, Features: r.recorded.Features,
	}
	switch {
	case r.leftOut != "":
		h.Unused = r.leftOut
	case !r.started:
		h.Unused = neverRan
	case r.waitUnknown:
		h.Unused = "with an unknown start"
	case r.held.suspended:
		h.Unused = "suspended for a time"
	}
	return h
}
