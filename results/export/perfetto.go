package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// The processes of the trace: groups of tracks.
const (
	processNodes   = 1
	processCluster = 2
)

// event is one event of the Trace Event Format: phase X has a duration, i is an
// instant, C a counter, M names a process or thread. Times are microseconds.
type event struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"`
	Duration *float64       `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Scope    string         `json:"s,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

const microseconds = 1e6

// writePerfetto writes an object with "traceEvents". A node is a thread; where
// jobs share a node it has one more thread for each job at the same time,
// because the slices of a thread may not overlap.
func writePerfetto(w io.Writer, run trace.Data) error {
	out := &events{out: bufio.NewWriter(w)}
	out.text("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")
	machine := run.Run.Machine
	out.name("process_name", processNodes, 0, fmt.Sprintf("nodes of machine %s, policy %s", machine.Name, run.Run.Policy))
	out.name("process_name", processCluster, 0, "cluster")
	out.nodes(machine, run.Jobs)
	out.load(run.Jobs)
	for _, c := range run.Cycles {
		out.add(event{
			Name: fmt.Sprintf("cycle %d", c.Cycle), Category: "auction", Phase: "i", Time: c.Time * microseconds,
			Process: processCluster, Thread: 1, Scope: "p",
			Args: map[string]any{
				"pending": c.Pending, "window": c.Window, "bids": c.Bids, "released": len(c.Released),
				"solver": c.Solver, "solve_ms": c.SolveMS,
			},
		})
	}
	out.text("\n]}\n")
	if err := out.out.Flush(); out.err == nil {
		out.err = err
	}
	if out.err != nil {
		return fmt.Errorf("write trace: %w", out.err)
	}
	return nil
}

// events writes the events one by one and keeps the first error.
type events struct {
	out  *bufio.Writer
	some bool
	err  error
}

func (e *events) text(s string) {
	if _, err := e.out.WriteString(s); e.err == nil {
		e.err = err
	}
}

func (e *events) add(ev event) {
	data, err := json.Marshal(ev)
	if e.err == nil {
		e.err = err
	}
	if e.some {
		e.text(",")
	}
	e.some = true
	e.text("\n" + string(data))
}

func (e *events) name(what string, process, thread int, name string) {
	e.add(event{Name: what, Phase: "M", Process: process, Thread: thread, Args: map[string]any{"name": name}})
}

// nodes writes a slice for each job on each of its nodes, which have the names of their site.
func (e *events) nodes(machine workloads.Machine, jobs []trace.FinishedJob) {
	cores, names := machine.Cores, machine.Layout.SiteNames()
	// freeAt has, for each node, the end of the last job on each of its threads. A
	// job has at least one core of a node, so that a node never needs more threads
	// than it has cores.
	freeAt := make([][]float64, machine.Nodes)
	for _, j := range byStart(jobs) {
		duration := (j.Finish - j.Start) * microseconds
		for _, n := range j.Allocated {
			lane := slices.IndexFunc(freeAt[n], func(end float64) bool { return end <= j.Start })
			if lane < 0 {
				lane = len(freeAt[n])
				freeAt[n] = append(freeAt[n], 0)
				e.name("thread_name", processNodes, n*cores+lane+1, layout.NameOf(n, names))
				e.add(event{
					Name: "thread_sort_index", Phase: "M", Process: processNodes, Thread: n*cores + lane + 1,
					Args: map[string]any{"sort_index": n*cores + lane + 1},
				})
			}
			freeAt[n][lane] = j.Finish
			e.add(event{
				Name: fmt.Sprintf("job %d", j.ID), Category: j.Class, Phase: "X",
				Time: j.Start * microseconds, Duration: &duration, Process: processNodes, Thread: n*cores + lane + 1,
				Args: map[string]any{
					"class": j.Class, "state": j.State, "nodes": len(j.Allocated), "cores": j.AllocCores, "gpus": j.AllocGPUs,
					"wait_s": j.Waiting(),
				},
			})
		}
	}
}

// load writes counters of waiting jobs and of cores and GPUs in use, with one
// value for each instant at which they change.
func (e *events) load(jobs []trace.FinishedJob) {
	type change struct{ queued, cores, gpus int }
	changes := map[float64]change{}
	add := func(at float64, c change) {
		sum := changes[at]
		changes[at] = change{sum.queued + c.queued, sum.cores + c.cores, sum.gpus + c.gpus}
	}
	for _, j := range jobs {
		add(j.Submit, change{queued: 1})
		if !j.Started() {
			add(j.Finish, change{queued: -1})
			continue
		}
		add(j.Start, change{-1, j.AllocCores, j.AllocGPUs})
		add(j.Finish, change{0, -j.AllocCores, -j.AllocGPUs})
	}
	var now change
	for _, at := range slices.Sorted(maps.Keys(changes)) {
		c := changes[at]
		now = change{now.queued + c.queued, now.cores + c.cores, now.gpus + c.gpus}
		for _, counter := range []struct {
			name  string
			value int
		}{{"jobs waiting", now.queued}, {"cores in use", now.cores}, {"GPUs in use", now.gpus}} {
			e.add(event{Name: counter.name, Phase: "C", Time: at * microseconds, Process: processCluster, Args: map[string]any{"value": counter.value}})
		}
	}
}
