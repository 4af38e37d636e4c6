package interchange

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/workloads"
)

// SWFRecord has the fields of a line of an SWF file that a run or a workload can fill. Times are in seconds, and -1
// means unknown. An Executable or User of 0 is unknown as well.
type SWFRecord struct {
	Job               int
	Submit, Wait, Run float64
	// Procs are the cores that the job got, ReqProcs those it asked for.
	Procs, ReqProcs  int
	ReqTime          float64
	Status           int
	User, Executable int
}

// SWFHeader is what the header comments say.
type SWFHeader struct {
	Name    string
	Machine workloads.Machine
	Jobs    int
	// Classes are the executable numbers, Users the user IDs.
	Classes, Users map[string]int
	Notes          []string
}

// SWFWriter writes an SWF file. Its errors are kept for Flush.
type SWFWriter struct{ out *bufio.Writer }

// NewSWFWriter writes to w.
func NewSWFWriter(w io.Writer) *SWFWriter { return &SWFWriter{bufio.NewWriter(w)} }

// Header writes the comments that the standard wants at the top.
func (s *SWFWriter) Header(h SWFHeader) {
	m := h.Machine
	// The writer keeps its first error for Flush.
	comment := func(key, value string) { _, _ = fmt.Fprintf(s.out, "; %s: %s\n", key, value) }
	comment("Version", "2.2")
	comment("Computer", fmt.Sprintf("slurmlab machine %s, %s", m.Name, m.Size()))
	comment("Conversion", "slurmlab")
	comment("MaxJobs", strconv.Itoa(h.Jobs))
	comment("MaxRecords", strconv.Itoa(h.Jobs))
	comment("MaxNodes", strconv.Itoa(m.Nodes))
	comment("MaxProcs", strconv.Itoa(m.AllCores()))
	comment("Note", "workload "+h.Name)
	comment("Note", "a processor is a core; requests for nodes, GPUs and contiguous nodes have no field here")
	for _, note := range h.Notes {
		comment("Note", note)
	}
	legend := func(text string, numbers map[string]int) {
		byNumber := func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) }
		for _, name := range slices.SortedFunc(maps.Keys(numbers), byNumber) {
			comment("Note", fmt.Sprintf(text, numbers[name], name))
		}
	}
	legend("executable %d is class %s", h.Classes)
	legend("user %d is %s", h.Users)
}

// Write writes one line.
func (s *SWFWriter) Write(r SWFRecord) {
	known := func(n int) string {
		if n < 1 {
			n = -1
		}
		return strconv.Itoa(n)
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	fields := [swfFields]string{
		swfJob: strconv.Itoa(r.Job), swfSubmit: number(r.Submit), swfWait: number(r.Wait), swfRun: number(r.Run),
		swfProcs: known(r.Procs), swfReqProcs: known(r.ReqProcs), swfReqTime: number(r.ReqTime),
		swfStatus: strconv.Itoa(r.Status), swfUser: known(r.User), swfExecutable: known(r.Executable),
	}
	for i, text := range fields {
		if i > 0 {
			// The writer keeps its first error for Flush.
			_ = s.out.WriteByte(' ')
		}
		_, _ = s.out.WriteString(cmp.Or(text, "-1"))
	}
	_ = s.out.WriteByte('\n')
}

// Flush returns the first error of all that was written.
func (s *SWFWriter) Flush() error {
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("write SWF: %w", err)
	}
	return nil
}
