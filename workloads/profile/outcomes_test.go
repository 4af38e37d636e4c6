package profile

import (
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
)

// A job whose user gave up has no run time: it is no part of what is said of run times.
func TestProfileOfOutcomes(t *testing.T) {
	job := func(id, runtime, limit int, o workloads.Outcome) workloads.Job {
		return workloads.Job{ID: id, Runtime: runtime, Limit: limit, Cores: 4, Class: "type1", Outcome: o}
	}
	givenUp := job(5, 0, 600, workloads.CancelledPending)
	givenUp.CancelAfter = 90
	var p Profile
	for _, j := range []workloads.Job{
		job(1, 60, 120, workloads.Completed), job(2, 30, 120, workloads.Failed), job(3, 120, 120, workloads.Timeout),
		job(4, 70, 120, workloads.Cancelled), givenUp, job(6, 50, 120, workloads.OutOfMemory),
	} {
		p.Add(j)
	}
	if p.Runtimes.Jobs != 5 || p.Runtimes.Min != 30 || p.Ratios.Jobs != 5 || p.CoreSeconds != 4*(60+30+120+70+50) {
		t.Errorf("%+v", p)
	}
	if got, want := workloads.OutcomesText(p.Outcomes), "1 completed, 1 failed, 1 timeout, 1 cancelled, 1 cancelled_pending, 1 out_of_memory"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	m := workloads.Machine{Name: "m", Nodes: 1, Cores: 8}
	class := p.Summary(m).Classes[0]
	if want := (Range{Min: 30, Max: 120, Mean: 66}); class.Jobs != 6 || class.Runtime != want {
		t.Errorf("%+v", class)
	}
	var left Profile
	left.Add(givenUp)
	if class = left.Summary(m).Classes[0]; class.LimitRatio != 0 || class.Work != 0 || class.Runtime.Mean != 0 {
		t.Errorf("alone: %+v", class)
	}
	if got := workloads.OutcomesText(map[workloads.Outcome]int{workloads.Completed: 3}); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestProfileOfTerms(t *testing.T) {
	var p Profile
	for _, terms := range []workloads.Terms{{}, {Account: "astro"}, {Account: "astro", Nice: 1}, {Account: "bio", Dependency: "after:1"}} {
		p.Add(workloads.Job{ID: 1, Runtime: 60, Limit: 60, Cores: 1, Class: "a", Terms: terms})
	}
	if got, want := workloads.TermsText(p.Terms), "3 with account, 1 with nice, 1 with dependency"; got != want || p.Accounts() != 2 {
		t.Errorf("got %s, %d accounts", got, p.Accounts())
	}
}
