package slurmctl

import (
	"fmt"
	"strings"
)

// separator ends each column of our squeue output. Names and comments are free
// text of users; the ASCII unit separator is the one character that no one
// types into them.
const separator = "\x1f"

// queueColumn is one column of squeue --Format and how to read it.
type queueColumn struct {
	name string
	want string
	read func(j *Job, s string) bool
}

// queueColumns is the light view of a job. Without a width a column is not
// truncated. tres-alloc is what is asked for while the job is pending and what
// is allocated afterwards.
func queueColumns() []queueColumn {
	number := func(to func(*Job) *int) func(*Job, string) bool {
		return func(j *Job, s string) (ok bool) {
			*to(j), ok = countOrUnset(s)
			return ok
		}
	}
	text := func(to func(*Job) *string) func(*Job, string) bool {
		return func(j *Job, s string) bool {
			*to(j) = null(s)
			return true
		}
	}
	const count = "a number"
	return []queueColumn{
		{"JobID", count, number(func(j *Job) *int { return &j.ID })},
		{"Name", "a name", func(j *Job, s string) bool { j.Name = s; return true }},
		{"State", "a job state", func(j *Job, s string) bool { j.State = JobState(s); return knownState(s) }},
		{"Reason", "a reason", func(j *Job, s string) bool { j.Reason = s; return s != "" }},
		{"PriorityLong", count, number(func(j *Job) *int { return &j.Priority })},
		{"SubmitTime", "a time", func(j *Job, s string) (ok bool) {
			var err error
			j.Submit, err = ParseTime(s)
			return err == nil
		}},
		{"StartTime", "a time", func(j *Job, s string) (ok bool) {
			var err error
			j.Start, err = ParseTime(s)
			return err == nil
		}},
		{"NumTasks", count, number(func(j *Job) *int { return &j.Tasks })},
		{"NumCPUs", count, number(func(j *Job) *int { return &j.CPUs })},
		{"NTPerNode", count, number(func(j *Job) *int { return &j.TasksPerNode })},
		{"MinCPUs", count, number(func(j *Job) *int { return &j.MinCPUsNode })},
		{"tres-alloc", "a TRES list with node=", func(j *Job, s string) bool {
			var err error
			j.Nodes, err = tres(s, "node")
			return err == nil && j.Nodes > 0
		}},
		{"tres-per-node", "a GRES list", func(j *Job, s string) bool {
			var err error
			j.GPUsPerNode, err = gpuCount(s)
			return err == nil
		}},
		{"Contiguous", "0 or 1", func(j *Job, s string) bool {
			j.Contiguous = s == "1"
			return s == "0" || s == "1"
		}},
		{"TimeLimit", "[D-][HH:]MM:SS or UNLIMITED", func(j *Job, s string) bool {
			var err error
			j.TimeLimit, err = ParseDuration(s)
			return err == nil
		}},
		{"NodeList", "a hostlist", func(j *Job, s string) bool { j.NodeList = s; return true }},
		{"admin_comment", "text", text(func(j *Job) *string { return &j.AdminComment })},
		{"comment", "text", text(func(j *Job) *string { return &j.Comment })},
		{"partition", "a partition", text(func(j *Job) *string { return &j.Partition })},
		{"feature", "text", text(func(j *Job) *string { return &j.Features })},
		{"licenses", "text", text(func(j *Job) *string { return &j.Licences })},
		{"dependency", "text", text(func(j *Job) *string { return &j.Dependency })},
		{"oversubscribe", "OK, NO, YES, USER or MCS", func(j *Job, s string) bool {
			j.Sharing = Sharing(s)
			return knownSharing(j.Sharing)
		}},
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
// lines. The error is a *ParseError.
func ParseQueue(out []byte) ([]Job, error) {
	columns := queueColumns()
	var jobs []Job
	line := 0
	for text := range strings.Lines(string(out)) {
		line++
		cells := strings.Split(strings.TrimSuffix(text, "\n"), separator)
		if len(cells) != len(columns)+1 || cells[len(columns)] != "" {
			return nil, &ParseError{Source: "squeue", Line: line, Text: text,
				Want: fmt.Sprintf("%d columns, each ended by %q", len(columns), separator)}
		}
		var j Job
		for i, c := range columns {
			if !c.read(&j, cells[i]) {
				return nil, &ParseError{Source: "squeue", Line: line, Field: c.name, Text: cells[i], Want: c.want}
			}
		}
		if j.ID == 0 {
			return nil, &ParseError{Source: "squeue", Line: line, Field: "JobID", Text: cells[0], Want: "a positive number"}
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}
