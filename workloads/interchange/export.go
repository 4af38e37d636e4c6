package interchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/workloads"
)

// ExportFormats returns the names of the formats that Export writes.
func ExportFormats() []string { return []string{"swf", "batsim"} }

// CheckExport says what is allowed for a name that is no format of Export.
func CheckExport(format string) error {
	if slices.Contains(ExportFormats(), format) {
		return nil
	}
	return fmt.Errorf("format: got %q, allowed %s%s", format, strings.Join(ExportFormats(), ", "), faults.DidYouMean(format, ExportFormats()))
}

// Export writes the jobs, which must be in the order of arrival. SWF has no
// nodes, GPUs and contiguity; Batsim's extra_data keeps them.
func Export(w io.Writer, format string, resource Resource, name string, m workloads.Machine, jobs []workloads.Job) error {
	if err := CheckExport(format); err != nil {
		return err
	}
	if format == "swf" {
		return exportSWF(w, name, m, jobs)
	}
	return exportBatsim(w, resource, name, m, jobs)
}

// exportSWF writes what the standard calls a model: jobs that were not run. Fields
// that only a schedule has, such as the wait time, are -1. The executable number tells
// the classes apart; users are numbered. The status tells failed from cancelled jobs; that
// of jobs that complete is -1, and one that is cancelled while it waits has its wait time.
func exportSWF(w io.Writer, name string, m workloads.Machine, jobs []workloads.Job) error {
	classes, users := ClassNumbers(jobs), UserNumbers(jobs)
	out := NewSWFWriter(w)
	out.Header(SWFHeader{Name: name, Machine: m, Jobs: len(jobs), Classes: classes, Users: users})
	for _, j := range jobs {
		r := SWFRecord{
			Job: j.ID, Submit: float64(j.Arrival), Wait: -1, Run: float64(j.Runtime), Procs: -1,
			ReqProcs: j.Cores, ReqTime: float64(j.Limit), Status: -1, User: users[j.User], Executable: classes[j.Class],
		}
		switch j.Outcome {
		case workloads.Failed, workloads.Timeout, workloads.OutOfMemory:
			r.Status = 0
		case workloads.Cancelled:
			r.Status = 5
		case workloads.CancelledPending:
			r.Status, r.Wait = 5, float64(j.CancelAfter)
		case workloads.Completed:
		}
		out.Write(r)
	}
	return out.Flush()
}

// ClassNumbers numbers the classes from 1 in the order of their names.
func ClassNumbers(jobs []workloads.Job) map[string]int {
	classes := make([]string, len(jobs))
	for i, j := range jobs {
		classes[i] = j.Class
	}
	numbers := map[string]int{}
	for i, class := range slices.Compact(slices.Sorted(slices.Values(classes))) {
		numbers[class] = i + 1
	}
	return numbers
}

// UserNumbers numbers the users from 1 in the order of their first jobs, as SWF
// wants it. Jobs without a user have no number.
func UserNumbers(jobs []workloads.Job) map[string]int {
	numbers := map[string]int{}
	for _, j := range jobs {
		if j.User != "" && numbers[j.User] == 0 {
			numbers[j.User] = len(numbers) + 1
		}
	}
	return numbers
}

// exportBatsim writes a workload of Batsim 4, with a delay profile for each run
// time. Where a resource is a node, a job that asks for cores only gets as many whole
// nodes as its cores fill.
func exportBatsim(w io.Writer, resource Resource, name string, m workloads.Machine, jobs []workloads.Job) error {
	all := m.Nodes
	if resource == Core {
		all = m.AllCores()
	} else if err := m.CheckEqual("a Batsim file whose resources are nodes"); err != nil {
		return err
	}
	var out bytes.Buffer
	description, err := json.Marshal("slurmlab workload " + name + " on machine " + m.Name)
	if err != nil {
		return fmt.Errorf("write workload: %w", err)
	}
	fmt.Fprintf(&out, "{\n  \"description\": %s,\n  \"nb_res\": %d,\n  \"jobs\": [", description, all)
	profiles := map[int]bool{}
	for i, j := range jobs {
		if i > 0 {
			out.WriteByte(',')
		}
		entry, err := batsimEntry(resource, m, j)
		if err != nil {
			return fmt.Errorf("write job %d: %w", j.ID, err)
		}
		out.WriteString("\n    ")
		out.Write(entry)
		profiles[j.Runtime] = true
	}
	out.WriteString("\n  ],\n  \"profiles\": {")
	for i, runtime := range slices.Sorted(maps.Keys(profiles)) {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "\n    %q: {\"type\": \"delay\", \"delay\": %d}", delayName(runtime), runtime)
	}
	out.WriteString("\n  }\n}\n")
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write workload: %w", err)
	}
	return nil
}

func delayName(runtime int) string { return "delay" + strconv.Itoa(runtime) }

func batsimEntry(resource Resource, m workloads.Machine, j workloads.Job) ([]byte, error) {
	own, err := json.Marshal(batsimExtra{&ownJob{
		Nodes: j.Nodes, NodesMax: j.NodesMax, Cores: j.Cores, CoresPerNode: j.CoresPerNode,
		GPUsMin: j.GPUsMin, GPUsMax: j.GPUsMax, Contiguous: j.Contiguous, Class: j.Class, User: j.User,
		Outcome: j.Outcome, CancelAfter: j.CancelAfter, Options: j.Options, Terms: j.Terms,
	}})
	if err != nil {
		return nil, err
	}
	id, err := json.Marshal(strconv.Itoa(j.ID))
	if err != nil {
		return nil, err
	}
	extra, err := json.Marshal(string(own))
	if err != nil {
		return nil, err
	}
	res := j.Cores
	if resource == Node {
		if res = j.Nodes; res == 0 {
			res = ceil(j.Cores, m.Cores)
		}
	}
	submit, walltime := float64(j.Arrival), float64(j.Limit)
	return json.Marshal(batsimJob{
		ID: id, Submit: &submit, Res: res, Profile: delayName(j.Runtime), Walltime: &walltime, Extra: extra,
	})
}
