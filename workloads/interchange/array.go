package interchange

import (
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// array is the job's as Terms.Array has it, "" for a job by itself. JobID of a task is ARRAY_TASK, or ARRAY_[TASKS] for the tasks that were
// cancelled before any of them was a job. How many tasks may run at a time, the line of sbatch says, if it was said there; a number
// that no Array can have is no limit.
func (r *sacctRow) array() string {
	name, task, is := strings.Cut(r.text("JobID"), "_")
	if !is || task == "" {
		return ""
	}
	if limited := name + "%" + throttle(r.text(records.SubmitLine)); workloads.IsArray(limited) {
		return limited
	}
	if !workloads.IsArray(name) {
		return ""
	}
	return name
}

// throttle is what stands behind the % of --array in a line of sbatch, "" if nothing does.
func throttle(line string) string {
	_, most, _ := strings.Cut(lineOption(line, "--array", "-a"), "%")
	return most
}

// lineOption is the first value of an option in a line of sbatch, without quotation marks, "" without one. An option may have no short form.
func lineOption(line, long, short string) string {
	words := strings.Fields(line)
	for i, word := range words {
		value, found := strings.CutPrefix(word, long+"=")
		switch {
		case found:
		case word == long || word == short:
			if i+1 < len(words) {
				value, found = words[i+1], true
			}
		case short != "" && strings.HasPrefix(word, short) && len(word) > 2:
			value, found = word[2:], true
		}
		if found {
			return strings.Trim(value, "'\"")
		}
	}
	return ""
}
