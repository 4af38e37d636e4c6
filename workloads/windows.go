package workloads

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// mostWindows is the largest number of windows that a list is cut into.
const mostWindows = 1000

// portion is which part of a list is left: part number of of parts, from 1; the zero
// value is the whole list.
type portion struct{ number, of int }

// Window is the number of the window, from 1, and how many the list was cut into; both
// are 0 for a whole workload.
func (w Workload) Window() (number, of int) { return w.window.number, w.window.of }

// Windows cuts a list by arrival time into n consecutive windows of equal span. In each
// the first job arrives at 0, and the others as long after it as in the list. Jobs that
// still ran when a window began are in the window before alone, and no job of a window
// waits for one of another window (Terms.Dependency). It is an error for a
// workload that is generated, and when a window has no job.
func (w Workload) Windows(n int) ([]Workload, error) {
	if w.spec != nil {
		return nil, fmt.Errorf("cut windows: workload %s is generated, allowed a list of jobs (.csv); its replicas have other seeds (--replicas)", w.name)
	}
	if n < 2 || n > mostWindows {
		return nil, fmt.Errorf("cut windows: got %d, allowed %s", n, faults.Between(2, mostWindows))
	}
	if empty := w.list.emptyWindows(n); empty > 0 {
		verb := "have"
		if empty == 1 {
			verb = "has"
		}
		return nil, fmt.Errorf("cut windows: got %d, of which %d %s no job of %s; allowed %s", n, empty, verb, w.list.path, w.list.allowedWindows(n))
	}
	parts := make([]Workload, n)
	for i := range parts {
		parts[i] = Workload{name: w.name, list: w.list, window: portion{i + 1, n}}
		parts[i].list.jobs, parts[i].list.lines = nil, nil
	}
	for i, at := range w.list.windowOf(n) {
		list := &parts[at].list
		list.jobs, list.lines = append(list.jobs, w.list.jobs[i]), append(list.lines, w.list.lines[i])
	}
	for i := range parts {
		jobs := parts[i].list.jobs
		independent(jobs)
		start := slices.MinFunc(jobs, byArrival).Arrival
		for k := range jobs {
			jobs[k].Arrival -= start
		}
	}
	return parts, nil
}

// independent takes away dependencies on jobs that are not in the list.
func independent(jobs []Job) {
	ids := make(map[int]bool, len(jobs))
	for i, j := range jobs {
		if d, ok := j.Waits(); ok && !ids[d.Job] {
			jobs[i].Dependency = ""
		}
		ids[j.ID] = true
	}
}

func byArrival(a, b Job) int { return cmp.Compare(a.Arrival, b.Arrival) }

// windowOf gives the window of each job, from 0, if there are n of equal span.
func (l jobList) windowOf(n int) []int {
	first := slices.MinFunc(l.jobs, byArrival).Arrival
	span := slices.MaxFunc(l.jobs, byArrival).Arrival - first + 1
	at := make([]int, len(l.jobs))
	for i, j := range l.jobs {
		at[i] = n * (j.Arrival - first) / span
	}
	return at
}

// emptyWindows counts those of n windows that have no job.
func (l jobList) emptyWindows(n int) int {
	full := map[int]bool{}
	for _, at := range l.windowOf(n) {
		full[at] = true
	}
	return n - len(full)
}

// allowedWindows says how many windows below n all have jobs.
func (l jobList) allowedWindows(n int) string {
	for k := n - 1; k >= 2; k-- {
		if l.emptyWindows(k) == 0 {
			return fmt.Sprintf("at most %d here", k)
		}
	}
	return "none here, as too many jobs arrive together"
}
