package slurmctl

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// separator ends each column of our squeue output. Names and comments are free
// text of users; the ASCII unit separator is the one character that no one
// types into them.
const separator = "\x1f"

// queueColumn is one column of squeue --Format and how to read it.
type queueColumn struct {
	name string
	want string
	read func(j *QueuedJob, s string) bool
}

// queueColumns is the light view of a job. Without a width a column is not
// truncated. tres-alloc is what is asked for while the job is pending and what
// is allocated afterwards.
func queueColumns() []queueColumn {
	number := func(to func(*QueuedJob) *int) func(*QueuedJob, string) bool {
		return func(j *QueuedJob, s string) (ok bool) {
			*to(j), ok = values.CountOrUnset(s)
			return ok
		}
	}
	text := func(to func(*QueuedJob) *string) func(*QueuedJob, string) bool {
		return func(j *QueuedJob, s string) bool {
			*to(j) = values.Text(s)
			return true
		}
	}
	const count = "a number"
	return []queueColumn{
		{"JobID", count, number(func(j *QueuedJob) *int { return &j.ID })},
		{"Name", "a name", func(j *QueuedJob, s string) bool { j.Name = s; return true }},
		{"State", "a job state", func(j *QueuedJob, s string) (ok bool) {
			j.State, ok = readState(s)
			return ok
		}},
		{"Reason", "a reason", func(j *QueuedJob, s string) bool { j.Reason = s; return s != "" }},
		{"PriorityLong", count, number(func(j *QueuedJob) *int { return &j.Priority })},
		{"SubmitTime", "a time", func(j *QueuedJob, s string) (ok bool) {
			var err error
			j.Submit, err = values.Time(s)
			return err == nil
		}},
		{"StartTime", "a time", func(j *QueuedJob, s string) (ok bool) {
			var err error
			j.Start, err = values.Time(s)
			return err == nil
		}},
		{"NumTasks", count, number(func(j *QueuedJob) *int { return &j.Tasks })},
		{"NumCPUs", count, number(func(j *QueuedJob) *int { return &j.CPUs })},
		{"NTPerNode", count, number(func(j *QueuedJob) *int { return &j.TasksPerNode })},
		{"MinCPUs", count, number(func(j *QueuedJob) *int { return &j.MinCPUsNode })},
		{"tres-alloc", "a TRES list with node=", func(j *QueuedJob, s string) bool {
			var err error
			j.Nodes, err = values.Amount(s, "node")
			return err == nil && j.Nodes > 0
		}},
		{"tres-per-node", "a GRES list", func(j *QueuedJob, s string) bool {
			var err error
			j.GPUsPerNode, err = values.GPUs(s)
			return err == nil
		}},
		{"Contiguous", "0 or 1", func(j *QueuedJob, s string) bool {
			j.Contiguous = s == "1"
			return s == "0" || s == "1"
		}},
		{"TimeLimit", "[D-][HH:]MM:SS or UNLIMITED", func(j *QueuedJob, s string) bool {
			var err error
			j.TimeLimit, err = values.Duration(s)
			return err == nil
		}},
		{"NodeList", "a hostlist", func(j *QueuedJob, s string) bool { j.NodeList = s; return true }},
		{"admin_comment", "text", text(func(j *QueuedJob) *string { return &j.AdminComment })},
		{"comment", "text", text(func(j *QueuedJob) *string { return &j.Comment })},
		{"partition", "a partition", text(func(j *QueuedJob) *string { return &j.Partition })},
		{"feature", "text", text(func(j *QueuedJob) *string { return &j.Features })},
		{"licenses", "text", text(func(j *QueuedJob) *string { return &j.Licences })},
		{"dependency", "text", text(func(j *QueuedJob) *string { return &j.Dependency })},
	}
}

// QueueArgv is the command whose output ParseQueue reads: all pending,
// running, suspended and completing jobs of all users and partitions.
func QueueArgv() []string {
	columns := queueColumns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name + ":" + separator
	}
	return []string{"squeue", "--noheader", "--all", "--Format=" + strings.Join(names, ",")}
}

// ParseQueue reads the output of QueueArgv. The jobs keep the order of the
// lines. A job with a value that is not understood has Unread set and what could
// be read of it, so that one odd job does not hide the others. A job without a
// readable id is an error, a *ParseError.
//
// Line breaks in a name or a comment do no harm, because columns are counted.
func ParseQueue(out []byte) ([]QueuedJob, error) {
	columns := queueColumns()
	var jobs []QueuedJob
	line := 1
	for rest := string(out); rest != ""; {
		record, cells := queueRecord(rest, len(columns))
		j := readQueued(columns, cells)
		if j.Unread != nil {
			j.Unread.Line = line
		}
		switch {
		case len(cells) != len(columns):
			j.Unread = &ParseError{Source: "squeue", Line: line, Text: record,
				Want: fmt.Sprintf("%d columns, each ended by %q", len(columns), separator)}
			if j.ID == 0 {
				return nil, j.Unread
			}
		case j.ID == 0:
			return nil, &ParseError{Source: "squeue", Line: line, Field: "JobID", Text: cells[0], Want: "a positive number"}
		}
		jobs = append(jobs, j)
		line += strings.Count(record, "\n")
		rest = rest[len(record):]
	}
	return jobs, nil
}

// QueuedCells is the number of cells that ReadQueued reads.
func QueuedCells() int { return len(queueColumns()) }

// ReadQueued reads the columns of one job, in the order and notation of QueueArgv's
// command, from elsewhere. The job has ID 0 if that cannot be read, and otherwise
// Unread set if another value cannot.
func ReadQueued(cells []string) QueuedJob {
	return readQueued(queueColumns(), cells)
}

// readQueued reads as many columns as there are cells for.
func readQueued(columns []queueColumn, cells []string) QueuedJob {
	var j QueuedJob
	for i, c := range columns[:min(len(columns), len(cells))] {
		if !c.read(&j, cells[i]) && j.Unread == nil {
			j.Unread = &ParseError{Source: "squeue", Line: 1, Field: c.name, Text: cells[i], Want: c.want}
		}
	}
	return j
}

// queueRecord returns the first job of the output with its line end, and its cells. The last column is followed by
// the line end, the others by a separator. Where that does not hold, the record is all up to the next separator with
// a line end, and only the first cell is returned.
func queueRecord(text string, columns int) (record string, cells []string) {
	cells = strings.SplitN(text, separator, columns+1)
	if tail := cells[len(cells)-1]; len(cells) == columns+1 && (tail == "" || tail[0] == '\n') {
		return text[:len(text)-len(tail)+min(len(tail), 1)], cells[:columns]
	}
	record = text
	if at := strings.Index(text, separator+"\n"); at >= 0 {
		record = text[:at+len(separator)+1]
	}
	return record, cells[:1]
}
