package trace

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// Action is a kind of what slurmlab itself does in a run.
type Action string

// The actions, and when each is due. Late is from then until it was done, or until it began for a cycle.
const (
	// ActionArrival is the submission of a job. It is due at the arrival, or when the submission before it was done, if
	// that was later: jobs that arrive together are submitted one after the other. Run.ArrivalLagMax has the whole delay.
	ActionArrival Action = "arrival"
	// ActionEnd is the end of a job of external nodes, which slurmlab's runner tells Slurm. It is due at the job's
	// start plus its run time.
	ActionEnd Action = "end"
	// ActionCancel is the cancellation of a waiting job, due Job.CancelAfter after its submission.
	ActionCancel Action = "cancel"
	// ActionEvent is an event of the run.
	ActionEvent Action = "event"
	// ActionCycle is a cycle of the agent. One that waited for the cycle before it is due when that ended: its
	// thinking is part of the emulated cluster.
	ActionCycle Action = "cycle"
)

// actions are all of them.
func actions() []Action {
	return []Action{ActionArrival, ActionEnd, ActionCancel, ActionEvent, ActionCycle}
}

// LateSeconds is the most that an action or an end may be off: one unit of Slurm's times.
const LateSeconds = 1.0

// Late counts actions, or ends of jobs, and tells by how many virtual seconds they were off. An action is never early.
type Late struct {
	Count int `json:"count"`
	// Over counts those that were off by more than LateSeconds.
	Over int `json:"over"`
	// Most is the largest, in whole milliseconds; below 0 for an end that was too early. It is that of Job or of Event, and
	// of neither for a cycle. Due is when that was due, in virtual seconds since the start of the run, for ends since the
	// first submission.
	Most  float64 `json:"most_s"`
	Job   int     `json:"job,omitempty"`
	Event string  `json:"event,omitempty"`
	Due   float64 `json:"due_s"`
}

// add counts one more, whose Most, Job, Event and Due describe a single one.
func (l *Late) add(one Late) {
	one.Most, one.Due = milliseconds(one.Most), milliseconds(one.Due)
	one.Count, one.Over = 1, 0
	if math.Abs(one.Most) > LateSeconds {
		one.Over = 1
	}
	l.join(one)
}

func (l *Late) join(other Late) {
	other.Count, other.Over = other.Count+l.Count, other.Over+l.Over
	if l.Count > 0 && math.Abs(l.Most) >= math.Abs(other.Most) {
		other.Most, other.Job, other.Event, other.Due = l.Most, l.Job, l.Event, l.Due
	}
	*l = other
}

func milliseconds(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// Lateness says how late, in virtual time, what happened in a run came.
type Lateness struct {
	// ByAction are slurmlab's own actions, by their kind; nil in runs that do not say.
	ByAction map[Action]Late `json:"actions,omitempty"`
	// Ends are those of jobs in sacct, by how they were to end; see Run.LatenessOf. Nil until all have ended.
	Ends map[workloads.Outcome]Late `json:"ends,omitempty"`
	// Unknown counts the jobs of which nobody knows when they had to end.
	Unknown int `json:"unknown_ends,omitempty"`
}

// Acted counts an action of a job, an event or neither.
func (l *Lateness) Acted(kind Action, one Late) {
	if l.ByAction == nil {
		l.ByAction = map[Action]Late{}
	}
	all := l.ByAction[kind]
	all.add(one)
	l.ByAction[kind] = all
}

// Clone is a copy that shares nothing with l, which may be nil.
func (l *Lateness) Clone() *Lateness {
	if l == nil {
		return &Lateness{}
	}
	return &Lateness{ByAction: maps.Clone(l.ByAction), Ends: maps.Clone(l.Ends), Unknown: l.Unknown}
}

// timeoutInterval is how often slurmctld looks for jobs at their limit (PERIODIC_TIMEOUT in
// src/slurmctld/slurmctld.h), in seconds. One that has just not reached it is killed at the next look.
const timeoutInterval = 30

// off is by how many seconds the job ended later than it had to, below 0 for earlier, and when it had to end. It
// is not known for one that an event killed, or that did not end in the state of its outcome.
func (j FinishedJob) off() (off, due float64, known bool) {
	if j.Victim || j.State != j.Outcome.State() {
		return 0, 0, false
	}
	switch {
	case j.Outcome == workloads.CancelledPending && j.Started():
		// It is cancelled as it starts.
		due = j.Start
	case j.Outcome == workloads.CancelledPending:
		due = j.Submit + float64(j.CancelAfter)
	case !j.Started():
		return 0, 0, false
	default:
		due = j.Start + float64(j.Expected())
	}
	off = j.Finish - due
	if j.Outcome == workloads.Timeout && off > 0 {
		off = max(0, off-timeoutInterval)
	}
	return off, due, true
}

// LatenessOf is the run's lateness, with the ends of its jobs recomputed from the accounting. What ends by itself or
// is cancelled has to, to the second; a job at its limit has until Slurm's next look. Some jobs are unknown: the ones
// that an event killed, that ended in another state than theirs, or at a limit that Slurm lets them exceed
// (OverTimeLimit). All are where Slurm may have suspended them (PreemptMode).
func (r Run) LatenessOf(jobs []FinishedJob) *Lateness {
	l := r.Lateness.Clone()
	l.Ends, l.Unknown = map[workloads.Outcome]Late{}, 0
	_, exceed := r.SlurmSettings["OverTimeLimit"]
	suspends := strings.Contains(strings.ToUpper(r.SlurmSettings["PreemptMode"]), "SUSPEND")
	for _, j := range jobs {
		off, due, known := j.off()
		if !known || suspends || exceed && j.Outcome == workloads.Timeout {
			l.Unknown++
			continue
		}
		all := l.Ends[j.Outcome]
		all.add(Late{Most: off, Job: j.ID, Due: due})
		l.Ends[j.Outcome] = all
	}
	return l
}

// parts are all counts with the words for what they count, actions first.
func (l *Lateness) parts() []latePart {
	if l == nil {
		return nil
	}
	var all []latePart
	for _, kind := range actions() {
		if late, some := l.ByAction[kind]; some {
			all = append(all, latePart{late, kind, 0})
		}
	}
	for _, o := range workloads.Outcomes() {
		if late, some := l.Ends[o]; some {
			all = append(all, latePart{late, "", o})
		}
	}
	return all
}

// latePart is one of the counts of a Lateness: of an action, or of the ends of an outcome.
type latePart struct {
	Late
	action  Action
	outcome workloads.Outcome
}

// name is what was off most: "the cancellation of job 7".
func (p latePart) name() string {
	switch p.action {
	case ActionArrival:
		return fmt.Sprintf("the submission of job %d", p.Job)
	case ActionEnd:
		return fmt.Sprintf("the end of job %d by the runner", p.Job)
	case ActionCancel:
		return fmt.Sprintf("the cancellation of job %d", p.Job)
	case ActionEvent:
		return fmt.Sprintf("the event %q", p.Event)
	case ActionCycle:
		return "a cycle of the agent"
	}
	return fmt.Sprintf("the end of job %d (%s)", p.Job, p.outcome)
}

// nouns are what is counted.
func (p latePart) nouns() string {
	switch p.action {
	case ActionArrival:
		return "submissions"
	case ActionEnd:
		return "ends by the runner"
	case ActionCancel:
		return "cancellations"
	case ActionEvent:
		return "events"
	case ActionCycle:
		return "cycles of the agent"
	}
	return fmt.Sprintf("ends of jobs (%s)", p.outcome)
}

// text is how far that was off: "the cancellation of job 7 came 150 s late, at 180 s".
func (p latePart) text() string {
	way := "late"
	if p.Most < 0 {
		way = "early"
	}
	return fmt.Sprintf("%s, due at %s s, came %s s %s", p.name(), decimal(p.Due), decimal(math.Abs(p.Most)), way)
}

// decimal writes seconds without an exponent, which %g has from a million on.
func decimal(seconds float64) string { return strconv.FormatFloat(seconds, 'f', -1, 64) }

// Warnings has a sentence for each kind of action, and of end, of which some were off by more than LateSeconds.
func (l *Lateness) Warnings() []string {
	var out []string
	for _, p := range l.parts() {
		if p.Over > 0 {
			out = append(out, fmt.Sprintf("%d of %d %s were off by more than %g s of virtual time; the worst: %s.",
				p.Over, p.Count, p.nouns(), LateSeconds, p.text()))
		}
	}
	return out
}

// Actions counts all actions, known if the run has any.
func (l *Lateness) Actions() (all Late, known bool) {
	return l.sum(func(p latePart) bool { return p.action != "" })
}

// EndsOfJobs counts all ends, known if the run has any.
func (l *Lateness) EndsOfJobs() (all Late, known bool) {
	return l.sum(func(p latePart) bool { return p.action == "" })
}

func (l *Lateness) sum(of func(latePart) bool) (all Late, known bool) {
	for _, p := range l.parts() {
		if of(p) {
			all.join(p.Late)
			known = true
		}
	}
	return all, known
}

// worst is what was off most, known if anything is.
func (l *Lateness) worst() (worst latePart, known bool) {
	for _, p := range l.parts() {
		if !known || math.Abs(p.Most) > math.Abs(worst.Most) {
			worst, known = p, true
		}
	}
	return worst, known
}

// Latest is by how many virtual seconds an action or the end of a job was off at most, NaN where the run does not say.
func (r Run) Latest() float64 {
	worst, known := r.Lateness.worst()
	if !known {
		return math.NaN()
	}
	return math.Abs(worst.Most)
}

// validate refuses counts that cannot be true.
func (l *Lateness) validate() error {
	var faults []error
	check := func(name string, late Late, some bool) {
		if !some || late.Count < 1 || late.Over < 0 || late.Over > late.Count || (late.Over > 0) != (math.Abs(late.Most) > LateSeconds) {
			faults = append(faults, fmt.Errorf("field lateness.%s: %d over of %d, most_s %g: want a known name, 1 or more, and over where most_s is beyond %g", name, late.Over, late.Count, late.Most, LateSeconds))
		}
	}
	if l == nil {
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(l.ByAction)) {
		check("actions."+string(kind), l.ByAction[kind], slices.Contains(actions(), kind))
	}
	for _, o := range slices.Sorted(maps.Keys(l.Ends)) {
		check("ends."+o.String(), l.Ends[o], true)
	}
	if l.Unknown < 0 {
		faults = append(faults, fmt.Errorf("field lateness.unknown_ends: %d: want 0 or more", l.Unknown))
	}
	return errors.Join(faults...)
}
