package workloads

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// Terms say on whose account a job runs, how urgent it is, when it may begin, and what limits and reservations of the cluster
// it is under. Without an account the user's own is charged, see Job.ChargedTo; for the dependency see ParseDependency.
type Terms = sbatch.Terms

// TermsText lists numbers of jobs by the Terms that they ask for, as "3 with account, 1 with nice"; it is "" where no
// job asks for any.
func TermsText(counts map[string]int) string {
	var parts []string
	for _, o := range sbatch.TermColumns() {
		if n := counts[o.Name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d with %s", n, o.Name))
		}
	}
	return strings.Join(parts, ", ")
}

// ChargedTo is the Slurm account that the job runs under, "" for the default one. It is the account of its row, or
// else one of its user's name.
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
	d.Job, ok = sbatch.WholeNumber(id)
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

// Earlier knows the jobs of the rows before one, on which a job may depend or with which it is in an array. Slurm
// gets the jobs in the order of their arrivals, and those that arrive together in the order of their rows. So
// dependencies form no circle, and each job has an id of Slurm's when another one names it.
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

func (e *Earlier) faults(j Job) []faults.Fault {
	if name, _, ok := j.array(); ok && j.Array != "" {
		if before, known := e.arrays[name]; known && before != j.Array {
			return []faults.Fault{faults.At("array", faults.Got(j.Array), fmt.Sprintf("%s, as in the rows before: an array has one number of tasks that may run at a time", before))}
		}
	}
	d, ok := j.Waits()
	if !ok {
		return nil
	}
	other, known := e.jobs[d.Job]
	bad := func(allowed string) []faults.Fault {
		return []faults.Fault{faults.At("dependency", faults.Got(j.Dependency), allowed)}
	}
	switch {
	case d.Job == j.ID:
		return bad("the job_id of an earlier row, not the job's own")
	case !known:
		return bad(fmt.Sprintf("the job_id of an earlier row; no row before this one has job_id %d", d.Job))
	case other.arrival > j.Arrival:
		return bad(fmt.Sprintf("a job that arrives no later than arrival_s=%d; job %d arrives at %d s", j.Arrival, d.Job, other.arrival))
	case d.Kind == AfterOK && other.outcome != Completed:
		// Slurm leaves such a job pending, as DependencyNeverSatisfied.
		return bad(fmt.Sprintf("%s, as job %d ends as %s and afterok would never be fulfilled", Dependency{AfterAny, d.Job}, d.Job, other.outcome))
	}
	return nil
}
