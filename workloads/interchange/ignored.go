package interchange

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// unused is what a trace says of a job and a workload has no word for.
type unused struct {
	// memory says that the job asked for memory.
	memory bool
	// partition, queue and qos are empty where unknown.
	partition, queue, qos string
	// state is Slurm's word for how the job ended where the job's outcome is another one.
	state string
}

// ignored counts what was not taken over of the jobs that were imported.
type ignored struct {
	memory                  int
	partitions, queues, qos names
	states                  map[string]int
	// complete says that all jobs complete.
	complete bool
}

// mostStates bounds the words for states in a broken trace.
const mostStates = 50

func (i *ignored) add(u unused) {
	if u.memory {
		i.memory++
	}
	i.partitions.add(u.partition)
	i.queues.add(u.queue)
	i.qos.add(u.qos)
	if u.state == "" {
		return
	}
	if i.states == nil {
		i.states = map[string]int{}
	}
	if _, known := i.states[u.state]; !known && len(i.states) >= mostStates {
		u.state = "OTHER"
	}
	// The text is part of a line, which must not stay in memory.
	i.states[strings.Clone(u.state)]++
}

// text lists what was ignored. A single partition, queue or QOS tells no jobs apart, so
// nothing is lost with it.
func (i *ignored) text() []string {
	var out []string
	if i.memory > 0 {
		out = append(out, fmt.Sprintf("memory of %d jobs", i.memory))
	}
	for _, kind := range []struct {
		names names
		word  string
	}{{i.partitions, "partitions"}, {i.queues, "queues"}, {i.qos, "QOS"}} {
		switch n := len(kind.names); {
		case n == mostNames:
			out = append(out, fmt.Sprintf("%d or more %s", n, kind.word))
		case n > 1:
			out = append(out, fmt.Sprintf("%d %s", n, kind.word))
		}
	}
	var states []string
	for _, state := range slices.Sorted(maps.Keys(i.states)) {
		word := state
		if strings.Trim(state, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
			word = workloads.Quote(state)
		}
		states = append(states, fmt.Sprintf("%d %s", i.states[state], word))
	}
	if len(states) > 0 {
		here := "they fail"
		if i.complete {
			here = "all complete"
		}
		out = append(out, fmt.Sprintf("how jobs ended (here %s): %s", here, strings.Join(states, ", ")))
	}
	return out
}

// names is a set of at most mostNames names.
type names map[string]struct{}

// mostNames bounds the memory that a broken trace takes.
const mostNames = 10_000

func (n *names) add(name string) {
	if name == "" {
		return
	}
	if *n == nil {
		*n = names{}
	}
	if _, known := (*n)[name]; !known && len(*n) < mostNames {
		(*n)[strings.Clone(name)] = struct{}{}
	}
}

// earlier counts the jobs that were submitted before the time window and were in the
// system when it began. The workload begins without them, on an empty machine.
type earlier struct {
	running, waiting int
	// endless are those of the running ones that had not ended when the trace was taken.
	endless int
	// nodeSeconds is what the other running ones had left.
	nodeSeconds float64
}

// add takes a job that was submitted before the window or was left out. The window begins at the time from of the trace.
// Where the job names no nodes, its cores fill nodes of coresOfNode.
func (e *earlier) add(req request, from float64, coresOfNode int) {
	end := req.start + req.runtime
	switch {
	case req.leftOut == "" && req.outcome == workloads.CancelledPending:
		if req.submit+req.cancelAfter > from {
			e.waiting++
		}
	case !req.started:
	case req.leftOut == notEnded && req.start < from:
		e.running++
		e.endless++
	case req.leftOut != "":
	case req.start >= from:
		e.waiting++
	case end > from:
		e.running++
		nodes := float64(req.nodes)
		if req.nodes == 0 {
			nodes = float64(req.cores) / float64(coresOfNode)
		}
		e.nodeSeconds += (end - from) * nodes
	}
}

func (e *earlier) text() string {
	if e.running == 0 && e.waiting == 0 {
		return ""
	}
	endless := ""
	if e.endless > 0 {
		endless = fmt.Sprintf(" (without the %d that had not ended when the trace was taken)", e.endless)
	}
	return fmt.Sprintf("left out at the start of the time window: %d jobs that were running already, with %.1f node-hours to go%s, and %d that were waiting",
		e.running, e.nodeSeconds/3600, endless, e.waiting)
}
