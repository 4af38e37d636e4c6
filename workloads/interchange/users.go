package interchange

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// user is who submitted a job, in the trace's own terms.
type user struct {
	// text is empty for nobody.
	text string
	// number says that the trace numbers its users.
	number bool
}

// workloadName is the user of workload.csv, "" for nobody, which must be a name that a Slurm account can have. It
// depends only on the trace's name, so that two parts of a trace, and a machine file of the same site, agree.
func (u user) workloadName() string {
	if u.number && u.text != "" {
		return "user" + u.text
	}
	return sbatch.NameOf(u.text)
}

// users are the users of the jobs of a trace.
type users struct {
	// named has, for each name in the workload, the user of the trace who got it.
	named map[string]user
	// numbers and renamed count those whose names are not the trace's.
	numbers, renamed int
}

// add notes a user; it is false if another one of the trace has the name in the workload.
func (u *users) add(who user) bool {
	if who.text == "" {
		return true
	}
	name := who.workloadName()
	if before, known := u.named[name]; known {
		return before == who
	}
	// The text is part of a line, which must not stay in memory.
	who.text = strings.Clone(who.text)
	u.named[name] = who
	switch {
	case who.number:
		u.numbers++
	case name != who.text:
		u.renamed++
	}
	return true
}

// text says how many users, or accounts, there are, and what was done to their names.
func (u *users) text(what string) string {
	out := fmt.Sprintf("%s: %d", what, len(u.named))
	if u.numbers > 0 {
		out += "; number N of the trace is userN"
	}
	if u.renamed > 0 {
		out += fmt.Sprintf("; %d renamed %s", u.renamed, sbatch.NameRule)
	}
	return out
}
