package workloads

import (
	"fmt"
	"strconv"
	"strings"
)

// Terms are the options of sbatch that say on whose account a job runs, how urgent it is, when
// it may begin, and what limits and reservations of the cluster it is under. The zero value asks for nothing. Its JSON has the names of the columns of
// workload.csv.
type Terms struct {
	// Account is --account, the Slurm account that is charged; "" for that of the user, see
	// Job.ChargedTo.
	Account string `json:"account,omitempty"`
	// Nice is --nice, which Slurm takes off the job's priority; a negative one makes the job more urgent.
	Nice int `json:"nice,omitempty"`
	// Priority is --priority, 0 for the one that Slurm gives the job.
	Priority int `json:"priority,omitempty"`
	// BeginAfter are the seconds from the arrival to the earliest start, --begin.
	BeginAfter int `json:"begin_after_s,omitempty"`
	// Dependency is --dependency, KIND:ID with the id of another job of the workload, see
	// ParseDependency.
	Dependency string `json:"dependency,omitempty"`
	// QOS is --qos, "" for the default one of the account.
	QOS string `json:"qos,omitempty"`
	// Licenses is --licenses, names with their numbers, as matlab:2&ansys:1; the & stands for the comma of
	// sbatch, which ends a cell of workload.csv.
	Licenses string `json:"licenses,omitempty"`
	// Reservation is --reservation.
	Reservation string `json:"reservation,omitempty"`
	// Array names the job array of which the job is a task, with %NUMBER behind it for the most tasks that may run at a time
	// (sbatch(1), "--array"), as 117%4; "" for a job by itself.
	Array string `json:"array,omitempty"`
}

// termCount is the number of columns that Terms have.
const termCount = 9

// list has the terms in the order of their columns.
func (t *Terms) list() [termCount]option {
	return [termCount]option{
		{name: "account", text: &t.Account},
		{name: "nice", number: &t.Nice, signed: true},
		{name: "priority", number: &t.Priority},
		{name: "begin_after_s", number: &t.BeginAfter},
		{name: "dependency", text: &t.Dependency},
		{name: "qos", text: &t.QOS},
		{name: "licenses", text: &t.Licenses},
		{name: "reservation", text: &t.Reservation},
		{name: "array", text: &t.Array},
	}
}

// Bounds of Terms: what nine digits hold, so that no sum of a job's numbers overflows. Slurm takes
// nice values and priorities up to 2^31 and 2^32.
const (
	maxNice     = 999_999_999
	maxPriority = 999_999_999
)

// TermsText lists numbers of jobs by the Terms that they ask for, as "3 with account, 1 with nice"; it is "" where no
// job asks for any.
func TermsText(counts map[string]int) string {
	var parts []string
	for _, each := range (&Terms{}).list() {
		if n := counts[each.name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d with %s", n, each.name))
		}
	}
	return strings.Join(parts, ", ")
}

// ChargedTo is the Slurm account that the job runs under, "" for the default one: that of its
// row, or else one of its user's name.
func (j Job) ChargedTo() string {
	if j.Account != "" {
		return j.Account
	}
	return j.User
}

// Kind says for what of another job a job waits.
type Kind string

// The kinds of dependency, of which sbatch(1) has more.
const (
	// After waits until the other job has begun or was cancelled.
	After Kind = "after"
	// AfterAny waits until the other job has ended, however it did.
	AfterAny Kind = "afterany"
	// AfterOK waits until the other job has ended with exit code 0.
	AfterOK Kind = "afterok"
)

// Dependency is what a job waits for.
type Dependency struct {
	Kind Kind
	// Job is the id of the other job in the workload.
	Job int
}

// dependencyRule is what ParseDependency takes.
const dependencyRule = "none, afterok:ID, afterany:ID or after:ID with the job_id of an earlier row"

// ParseDependency reads a Terms.Dependency that is not empty.
func ParseDependency(text string) (Dependency, bool) {
	kind, id, _ := strings.Cut(text, ":")
	d := Dependency{Kind: Kind(kind)}
	var ok bool
	d.Job, ok = wholeNumber(id)
	// One text for each dependency, so that what is read is written as it was.
	ok = ok && d.Job > 0 && strconv.Itoa(d.Job) == id
	return d, ok && (d.Kind == After || d.Kind == AfterAny || d.Kind == AfterOK)
}

// String is what ParseDependency reads.
func (d Dependency) String() string { return fmt.Sprintf("%s:%d", d.Kind, d.Job) }

// Waits is the job's dependency; ok is false for a job without one.
func (j Job) Waits() (d Dependency, ok bool) {
	if j.Dependency == "" {
		return Dependency{}, false
	}
	return ParseDependency(j.Dependency)
}

// termFaults are the rules of Terms that the job breaks on any machine.
func (j Job) termFaults() []fault {
	if j.Terms == (Terms{}) {
		return nil
	}
	var out []fault
	if !IsUser(j.Account) {
		out = append(out, faultAt("account", got(j.Account), userRule))
	}
	out = append(out, outside("nice", j.Nice, -maxNice, maxNice)...)
	out = append(out, outside("priority", j.Priority, 0, maxPriority)...)
	if j.Nice != 0 && j.Priority != 0 {
		out = append(out, faultAt("nice", got(j.Nice), fmt.Sprintf("0 beside priority=%d, of which Slurm takes nothing off", j.Priority)))
	}
	out = append(out, outside("begin_after_s", j.BeginAfter, 0, maxSeconds)...)
	out = append(out, j.ruleTextFaults()...)
	if _, _, ok := j.array(); !ok {
		out = append(out, faultAt("array", got(j.Array), fmt.Sprintf("none, or the name of an array, %s, perhaps with %%NUMBER from 1 to %d behind it", wordRule, maxThrottle)))
	}
	if _, ok := j.Waits(); j.Dependency != "" && !ok {
		out = append(out, faultAt("dependency", got(j.Dependency), dependencyRule))
	}
	return out
}

// Earlier knows the jobs of the rows before one, on which a job may depend or with which it is in an array. As Slurm gets the jobs in the order
// of their arrivals, and those that arrive together in the order of their rows, the jobs that depend on each other
// are no circle, and each has an id of Slurm's when another one names it.
type Earlier struct {
	jobs map[int]earlierJob
	// arrays has the text of each array by its name.
	arrays map[string]string
}

type earlierJob struct {
	arrival int
	outcome Outcome
}

// Add takes the job of the next row into account.
func (e *Earlier) Add(j Job) {
	if e.jobs == nil {
		e.jobs = map[int]earlierJob{}
	}
	e.jobs[j.ID] = earlierJob{j.Arrival, j.Outcome}
	e.AddArray(j)
}

// AddArray is Add where no job has a dependency: no job is kept, but each array once. Its text may be a part of a long line.
func (e *Earlier) AddArray(j Job) {
	if j.Array == "" {
		return
	}
	if e.arrays == nil {
		e.arrays = map[string]string{}
	}
	name, _, _ := j.array()
	e.arrays[strings.Clone(name)] = strings.Clone(j.Array)
}

// Check is an error where the dependency of the job of the next row names no earlier job, or can never be fulfilled.
func (e *Earlier) Check(j Job) error {
	for _, f := range e.faults(j) {
		return j.describe(f)
	}
	return nil
}

func (e *Earlier) faults(j Job) []fault {
	if name, _, ok := j.array(); ok && j.Array != "" {
		if before, known := e.arrays[name]; known && before != j.Array {
			return []fault{faultAt("array", got(j.Array), fmt.Sprintf("%s, as in the rows before: an array has one number of tasks that may run at a time", before))}
		}
	}
	d, ok := j.Waits()
	if !ok {
		return nil
	}
	other, known := e.jobs[d.Job]
	bad := func(allowed string) []fault { return []fault{faultAt("dependency", got(j.Dependency), allowed)} }
	switch {
	case d.Job == j.ID:
		return bad("the job_id of an earlier row, not the job's own")
	case !known:
		return bad(fmt.Sprintf("the job_id of an earlier row; no row before this one has job_id %d", d.Job))
	case other.arrival > j.Arrival:
		return bad(fmt.Sprintf("a job that arrives no later than arrival_s=%d; job %d arrives at %d s", j.Arrival, d.Job, other.arrival))
	case d.Kind == AfterOK && other.outcome != Completed:
		// Slurm leaves such a job pending for ever, as DependencyNeverSatisfied.
		return bad(fmt.Sprintf("%s, as job %d ends as %s and afterok would never be fulfilled", Dependency{AfterAny, d.Job}, d.Job, other.outcome))
	}
	return nil
}
