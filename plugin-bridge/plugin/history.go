package plugin

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// History is what a program has been told, and what became of its answers since. The next
// question tells the difference. Its zero value has told nothing.
type History struct {
	number  int
	before  known
	results []Result
}

// Question is the next message to the program. Telling has the history go on from there.
func (h *History) Question(s auction.Snapshot) Snapshot {
	m := picture(s, h.number+1)
	m.Changed = changes(h.before, jobsOf(m))
	if h.results != nil {
		m.Results = h.results
	}
	return m
}

// Telling is called when a question is put.
func (h *History) Telling(question Snapshot) {
	h.number, h.before, h.results = question.Number, jobsOf(question), nil
}

// Forget makes a question one to a program that is new and knows nothing yet. The results
// stay: they are of answers that counted.
func Forget(question Snapshot) Snapshot {
	question.Changed = changes(known{}, jobsOf(question))
	return question
}

// Became adds what became of a start.
func (h *History) Became(r ...Result) { h.results = append(h.results, r...) }

// Refuse adds the faults of an answer.
func (h *History) Refuse(faults []Fault) {
	for _, f := range faults {
		h.Became(Result{Job: f.Job, Outcome: Refused, Reason: f.Text})
	}
}

// known are the jobs of a snapshot, from which the next one derives what changed.
type known struct{ queue, running []int }

func jobsOf(m Snapshot) known {
	var k known
	for _, j := range m.Queue {
		k.queue = append(k.queue, j.Job)
	}
	for _, r := range m.Running {
		k.running = append(k.running, r.Job)
	}
	return k
}

// changes is what happened between two snapshots. A job that returns to the queue is
// submitted again.
func changes(before, now known) Changed {
	return Changed{
		Submitted: without(now.queue, before.queue), Started: without(now.running, before.running), Ended: without(before.running, now.running),
	}
}

// none says that nothing happened.
func (c Changed) none() bool { return len(c.Submitted)+len(c.Started)+len(c.Ended) == 0 }

func without(all, others []int) []int {
	there := make(map[int]bool, len(others))
	for _, id := range others {
		there[id] = true
	}
	return slices.DeleteFunc(append([]int{}, all...), func(id int) bool { return there[id] })
}
