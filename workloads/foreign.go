package workloads

import (
	"slices"
	"strconv"
	"strings"
)

// This file has what package interchange needs in order to write other people's jobs as
// a workload.

// Columns are those of workload.csv that are there only if a job has what they say: its
// user; a range of nodes, where the column nodes has the least and nodes_max the most; an
// outcome other than completed; the time of its cancellation while it waits; and each of its
// Options.
type Columns struct {
	Users, NodeRanges, Outcomes, CancelAfter bool
	// options has them in the order of Job.further.
	options [furtherCount]bool
}

// furtherCount is the number of columns of Job.further.
const furtherCount = optionCount + termCount + pastCount

// Need adds the columns of the Options and Terms that a job asks for.
func (c *Columns) Need(o Options, t Terms) { c.need(Job{Options: o, Terms: t}) }

// NeedPast adds the columns of a Past.
func (c *Columns) NeedPast(p Past) { c.need(Job{Past: p}) }

func (c *Columns) need(j Job) {
	if j.Options == (Options{}) && j.Terms == (Terms{}) && j.Past == (Past{}) {
		return
	}
	for i, each := range j.further() {
		c.options[i] = c.options[i] || each.asked()
	}
}

// HasDependencies says whether a job has a Dependency.
func (c Columns) HasDependencies() bool {
	return slices.ContainsFunc(c.further(), func(column furtherColumn) bool { return column.name == "dependency" && *column.there })
}

// ColumnsOf are the columns that the jobs need.
func ColumnsOf(jobs []Job) Columns {
	c := Columns{
		Users:       slices.ContainsFunc(jobs, func(j Job) bool { return j.User != "" }),
		NodeRanges:  slices.ContainsFunc(jobs, func(j Job) bool { return j.NodesMax != 0 }),
		Outcomes:    slices.ContainsFunc(jobs, func(j Job) bool { return j.Outcome != Completed }),
		CancelAfter: slices.ContainsFunc(jobs, func(j Job) bool { return j.CancelAfter != 0 }),
	}
	for _, j := range jobs {
		c.need(j)
	}
	return c
}

// CSVHeader is the first line of workload.csv after its comments.
func CSVHeader(c Columns) string {
	header := csvHeader
	for _, further := range c.further() {
		if *further.there {
			header += "," + further.name
		}
	}
	return header
}

// userRule is what IsUser takes.
const userRule = "up to 32 of lower-case letters, digits, -, _ and ., the first not -"

// IsUser tells the names that a Job.User and an Account may have: those of Slurm accounts,
// without capitals, because sacctmgr makes them small, and without a - at the beginning,
// which sacctmgr would take for an option. Empty is nobody.
func IsUser(text string) bool {
	return text == "" || isClass(text) && text == strings.ToLower(text) && text[0] != '-'
}

// DefaultLimit is the time limit in seconds of a job that was given none, by
// the default limit model of a Spec.
func DefaultLimit(runtime int) int {
	l := defaultLimit()
	return l.seconds(ppm(l.Factor), runtime)
}

// AppendCSV appends the job's row of a workload.csv with such columns, and its line
// feed. The job is not checked.
func (j Job) AppendCSV(row []byte, c Columns) []byte {
	for _, n := range []int{j.ID, j.Arrival, j.Runtime, j.Limit, j.Nodes, j.Cores, j.CoresPerNode, j.GPUsMin, j.GPUsMax} {
		row = append(strconv.AppendInt(row, int64(n), 10), ',')
	}
	contiguous := "0,"
	if j.Contiguous {
		contiguous = "1,"
	}
	row = append(append(row, contiguous...), j.Class...)
	if c.Users {
		row = append(append(row, ','), j.User...)
	}
	if c.NodeRanges {
		row = strconv.AppendInt(append(row, ','), int64(j.NodesMax), 10)
	}
	if c.Outcomes {
		row = append(append(row, ','), j.Outcome.String()...)
	}
	if c.CancelAfter {
		row = strconv.AppendInt(append(row, ','), int64(j.CancelAfter), 10)
	}
	if c.options != [furtherCount]bool{} {
		for i, each := range j.further() {
			if c.options[i] {
				row = append(append(row, ','), each.String()...)
			}
		}
	}
	return append(row, '\n')
}
