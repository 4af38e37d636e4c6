package workloads

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// maxThrottle bounds the number of tasks behind the % of an Array.
const maxThrottle = 100_000

// array is the name of the job's array and how many of its tasks may run at a time, 0 for all.
func (j Job) array() (name string, throttle int, ok bool) {
	if j.Array == "" {
		return "", 0, true
	}
	name, number, limited := strings.Cut(j.Array, "%")
	if ok = layout.IsWord(name); limited {
		throttle, _ = sbatch.WholeNumber(number)
		ok = ok && 1 <= throttle && throttle <= maxThrottle && strconv.Itoa(throttle) == number
	}
	return name, throttle, ok
}

// IsArray says whether Terms.Array may have such a text.
func IsArray(text string) bool {
	_, _, ok := Job{Terms: Terms{Array: text}}.array()
	return ok
}

// arrayLicense is the licence of which each running task of an array with such a limit holds one. Slurm has arrays of batch scripts
// alone (_valid_array_inx in src/slurmctld/job_mgr.c), which external nodes do not run, so that each task is a job by itself.
func arrayLicense(name string) string { return "array-" + name }

// ArrayLicenses are those that Slurm needs beside the licences of the machine, so that no more tasks of each array of the jobs
// run at a time than its Array says. They are in the order of their names.
func ArrayLicenses(jobs []Job) []layout.License {
	most := map[string]int{}
	for _, j := range jobs {
		if name, throttle, _ := j.array(); throttle > 0 {
			most[arrayLicense(name)] = throttle
		}
	}
	var all []layout.License
	for name, count := range most {
		all = append(all, layout.License{Name: name, Count: count})
	}
	slices.SortFunc(all, func(a, b layout.License) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
