package accounting

import (
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// column is what is known of the values of a column.
type column struct {
	// text says that people write the values, many that they may contain the separator.
	text, many bool
	// check says whether Slurm can have printed a value; nil if that is not known.
	check func(string) bool
}

// spare is how many separators a value may contain.
func (c column) spare() int {
	switch {
	case c.text:
		return mostSpare
	case c.many:
		return mostItems
	}
	return 0
}

// texts and lists are fields of sacct(1). A list has commas between its items.
const (
	texts = " constraints licenses submitline jobname comment admincomment systemcomment workdir extra stdin stdout stderr stdinexpanded stdoutexpanded stderrexpanded container "
	lists = " reqtres alloctres nodelist partition qosreq flags reqgres allocgres failednode "
)

// columnOf is what sacct(1) says of a field. Columns that are free may have any text.
func columnOf(name, separator string, free []string) column {
	is := func(of string) bool { return strings.Contains(of, " "+strings.ToLower(name)+" ") }
	c := column{check: checkOf(strings.ToLower(name))}
	for _, f := range free {
		c.text = c.text || strings.EqualFold(f, name)
	}
	c.text = c.text || is(texts)
	c.many = c.text || is(lists) && strings.Contains(separator, ",")
	return c
}

// checkOf returns what Slurm can have printed for a field, nil where that is any text.
func checkOf(name string) func(string) bool {
	switch name {
	case "jobid", "jobidraw":
		return isJobID
	case "state":
		return isState
	case "submit", "start", "end", "eligible", "timestart", "timeend":
		return isTime
	case "elapsed", "timelimit", "suspended", "planned", "reserved", "cputime", "totalcpu", "usercpu", "systemcpu":
		return isDuration
	case "elapsedraw", "timelimitraw", "nnodes", "allocnodes", "reqnodes", "ncpus", "alloccpus", "reqcpus", "restarts", "priority", "dbindex", "cputimeraw", "uid", "gid":
		return func(s string) bool {
			return strings.Trim(s, "0123456789") == "" || s == "UNLIMITED" || s == "Partition_Limit"
		}
	case "exitcode", "derivedexitcode":
		return func(s string) bool { return strings.Trim(s, "0123456789:") == "" }
	case "reqtres", "alloctres":
		return func(s string) bool { _, err := values.TRES(s); return err == nil }
	case "reqmem":
		return func(s string) bool { return len(s) < 24 && strings.Trim(s, "0123456789.KMGTPEnc?") == "" }
	}
	return nil
}

// isJobID says whether a text is an id of a job, of an array's task or tasks, or of a step (sacct(1), "JobID").
func isJobID(text string) bool {
	id, _, _ := strings.Cut(text, ".")
	return id != "" && id[0] >= '0' && id[0] <= '9' && strings.Trim(id, "0123456789_+-,[]%") == ""
}

// isState says whether a text is the name of a job's state, CANCELLED by 1000 or OUT_OF_ME+, or of a node's, DOWN* or IDLE+DRAIN. The cluster's own
// events have none.
func isState(text string) bool {
	word, by, _ := strings.Cut(text, " by ")
	return strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_+*~#!%$@^-") == "" && strings.Trim(by, "0123456789") == ""
}

// isTime says whether a text is a time as Slurm prints it, by default or with SLURM_TIME_FORMAT=%s.
func isTime(text string) bool {
	_, err := values.Time(text)
	return err == nil || strings.Trim(text, "0123456789") == ""
}

func isDuration(text string) bool {
	_, err := values.Duration(text)
	return err == nil || strings.Trim(text, "0123456789:.-") == "" || text == "INVALID" || text == "Unknown"
}
