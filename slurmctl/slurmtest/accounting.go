package slurmtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// sacct prints the table of slurmctl.Client.Accounting.
func (c *Cluster) sacct(args []string) (string, error) {
	var since time.Time
	var format string
	states := false
	for i := 0; i < len(args); i++ {
		var err error
		switch f, isFormat := strings.CutPrefix(args[i], "--format="); {
		case isFormat:
			format = f
		case args[i] == "--state="+strings.Join(accounting.AllStates(), ","):
			states = true
		case args[i] == "-S" && i+1 < len(args):
			i++
			since, err = values.Time(args[i])
		case args[i] == "-E":
			i++
		case !slices.Contains([]string{"--allusers", "--duplicates", "-X", "-P"}, args[i]):
			err = fmt.Errorf("not supported")
		}
		if err != nil {
			return "", fmt.Errorf("slurmtest: sacct option %q: %w", args[i], err)
		}
	}
	columns := strings.Split(format, ",")
	b := strings.Builder{}
	b.WriteString(strings.Join(columns, "|") + "\n")
	for _, j := range c.jobs {
		// A held job is not in the database before it becomes eligible, and shown only to
		// whom asks for its state if it has ended before.
		unknown := j.eligible.IsZero() && (j.end.IsZero() || !states)
		if unknown || (!j.end.IsZero() && j.end.Before(since)) {
			continue
		}
		row, err := c.row(j, columns)
		if err != nil {
			return "", err
		}
		b.WriteString(row + "\n")
	}
	return b.String(), nil
}

func (c *Cluster) row(j *job, columns []string) (string, error) {
	cells := c.accountingCells(j)
	row := make([]string, len(columns))
	for i, name := range columns {
		cell, ok := cells[name]
		if !ok {
			return "", fmt.Errorf("slurmtest: sacct column %q is not supported", name)
		}
		row[i] = cell
	}
	return strings.Join(row, "|"), nil
}

func (c *Cluster) accountingCells(j *job) map[string]string {
	state := j.state
	if state == slurmctl.JobCompleting {
		state = j.finalState
	}
	start, end, nodeList, alloc, elapsed := "Unknown", "Unknown", "None assigned", "", time.Duration(0)
	nodes, cpus, word := j.minNodes, 0, string(state)
	if !j.end.IsZero() {
		start, end = "None", clock(j.end, "")
	}
	if len(j.allocated) > 0 {
		start, nodeList, nodes, cpus = clock(j.start, ""), j.nodeList(), len(j.allocated), j.cpus
		alloc = sortedTRES(j.tres(false))
		elapsed = c.now.Sub(j.start)
		if !j.end.IsZero() {
			elapsed = j.end.Sub(j.start)
		}
	}
	exit := "0:0"
	switch state {
	case slurmctl.JobCancelled:
		word += " by 0"
	case slurmctl.JobFailed:
		exit = "1:0"
	}
	return map[string]string{
		"JobID": strconv.Itoa(j.id), "JobName": j.name, "User": "root", "Account": j.account, "QOS": "normal", "Partition": "main",
		"State": word, "ExitCode": exit,
		"Submit": clock(j.submit, ""), "Eligible": clock(j.eligible, "Unknown"), "Start": start, "End": end,
		"ElapsedRaw":   strconv.Itoa(int(elapsed / time.Second)),
		"TimelimitRaw": strconv.Itoa(int(j.limit / time.Minute)),
		"NNodes":       strconv.Itoa(nodes), "NCPUS": strconv.Itoa(cpus),
		"ReqTRES": sortedTRES(j.tres(true)), "AllocTRES": alloc, "NodeList": nodeList,
	}
}

func sortedTRES(list string) string {
	items := strings.Split(list, ",")
	slices.Sort(items)
	return strings.Join(items, ",")
}

// printStatistics prints the header and the sections of sdiag that package slurmctl/accounting reads. The scheduler is
// sched/builtin, so backfill has no cycles. Slurm counts since its start or since midnight.
func (c *Cluster) printStatistics() string {
	since := c.now.Truncate(24 * time.Hour)
	if start := c.config.Start.UTC().Truncate(time.Second); since.Before(start) {
		since = start
	}
	const rule = "*******************************************************\n"
	printed := func(t time.Time) string { return fmt.Sprintf("%s (%d)\n", t.UTC().Format(time.ANSIC), t.Unix()) }
	return rule + "sdiag output at " + printed(c.now) + "Data since      " + printed(since) + rule +
		"Backfilling stats\n\tTotal cycles: 0\n\tMax cycle:  0\n\nBackfill exit\n\tEnd of job queue: 0\n"
}
