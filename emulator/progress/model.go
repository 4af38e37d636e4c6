package progress

import (
	"fmt"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/internal/text"
)

// Stage is what a run is doing, in the order in which a run does it.
type Stage int

// A run ends in one of the last three. One that is Elsewhere is in the hands of another process, of which only its end
// will be known.
const (
	Queued Stage = iota
	Elsewhere
	Creating
	Booting
	Running
	Collecting
	Complete
	Stopped
	Failed
)

// Run is what is known of a run before it begins. Jobs is 0 for a cluster without a
// workload.
type Run struct {
	Name string
	Jobs int
	// Estimate is the real time that the run may take, 0 if unknown.
	Estimate time.Duration
}

// Update is news of a run.
type Update struct {
	Stage Stage
	// Boot is what a cluster that is Booting waits for, as "slurmlabd boot" tells
	// it: "3/5 slurmctld".
	Boot string
	// Counts of the jobs of a run that is Running.
	Counts drive.Progress
}

// Model is what is known of all runs of a command.
type Model struct {
	runs []run
	// holders says who has the cores that the command waits for since a real time;
	// none while it waits for no core.
	holders  []string
	since    time.Time
	stopping bool
	notes    []string
	// there counts the runs of the command that were complete before it began.
	there int
}

type run struct {
	name   string
	total  int
	stage  Stage
	boot   string
	counts drive.Progress
	// estimate is that of Run.
	estimate time.Duration
	// These are real times, zero as long as the run has not come so far. Until ending
	// no job had ended.
	began, running, ending, ended time.Time
}

// New is the model of runs whose turn has not come.
func New(runs ...Run) *Model {
	m := &Model{}
	for _, r := range runs {
		m.runs = append(m.runs, run{name: text.Printable(r.Name), total: r.Jobs, estimate: r.Estimate})
	}
	return m
}

// Wait says that the command waits for a core until a run begins; holders names the holder of each core.
func (m *Model) Wait(holders []string, now time.Time) {
	if len(m.holders) == 0 {
		m.since = now
	}
	m.holders = nil
	for _, h := range holders {
		m.holders = append(m.holders, text.Printable(h))
	}
}

// Update sets what run i is doing now.
func (m *Model) Update(i int, u Update, now time.Time) {
	m.holders = nil
	r := &m.runs[i]
	if u.Stage < Running && !r.running.IsZero() {
		// It was disturbed, and is made again: its speed is that of this time.
		*r = run{name: r.name, total: r.total, estimate: r.estimate}
	}
	r.stage, r.boot = u.Stage, text.Printable(u.Boot)
	if r.began.IsZero() {
		r.began = now
	}
	if u.Stage == Running {
		r.counts = u.Counts
		if r.running.IsZero() {
			r.running = now
		}
		if r.counts.Done == 0 || r.ending.IsZero() {
			r.ending = now
		}
	}
	if r.over() {
		r.ended = now
	}
}

// There tells how many runs of the command were complete before it began.
func (m *Model) There(n int) { m.there = n }

// Note adds a line for people that is said once.
func (m *Model) Note(text string) { m.notes = append(m.notes, text) }

// Stop tells that the user ended the command. If a run is going, that takes a while,
// and a note says so.
func (m *Model) Stop(note string) {
	if !m.stopping && slices.ContainsFunc(m.runs, run.live) {
		m.Note(note)
	}
	m.stopping = true
}

// Running lists the runs whose jobs run now, Over those that have ended.
func (m *Model) Running() (running, over []int) {
	for i, r := range m.runs {
		switch {
		case r.stage == Running:
			running = append(running, i)
		case r.over():
			over = append(over, i)
		}
	}
	return running, over
}

func (r run) live() bool { return r.stage > Queued && !r.over() }

func (r run) over() bool { return r.stage >= Complete }

// share is the part of all jobs that has ended, from 0 to 1.
func share(done, total int) float64 {
	if total == 0 {
		return 0
	}
	return float64(done) / float64(total)
}

// sum adds up the runs. A run that failed or was stopped is none that is complete.
func (m *Model) sum() (done, jobs, complete int) {
	for _, r := range m.runs {
		done, jobs = done+r.counts.Done, jobs+r.total
		if r.stage == Complete {
			complete++
		}
	}
	return done, jobs, complete
}

// counted says how many runs are complete, with those that were there before the command, and failed:
// "12 of 60 runs (10 were there), 2 failed".
func (m *Model) counted() string {
	_, _, complete := m.sum()
	text := fmt.Sprintf("%d of %d runs", m.there+complete, m.there+len(m.runs))
	if m.there > 0 {
		text += fmt.Sprintf(" (%d were there)", m.there)
	}
	failed := 0
	for _, r := range m.runs {
		if r.stage == Failed {
			failed++
		}
	}
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text
}
