package progress

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
)

// logInterval is the real time after which a run that is going is reported again.
const logInterval = 30 * time.Second

// Log says in lines what is to stay.
type Log struct {
	// Brief leaves out what a Line shows, and keeps ends, notes and who has the cores.
	Brief   bool
	runs    []logged
	holders []string
	notes   int
}

// logged is what was said of a run last, and when.
type logged struct {
	stage   Stage
	boot    string
	quarter int
	at      time.Time
}

// Lines returns what has become worth saying since the last call, in the order in
// which it came about. It is called after each change of the Model, and at least as
// often as the log has lines.
func (l *Log) Lines(m *Model, now time.Time) []string {
	var lines []string
	if !slices.Equal(m.holders, l.holders) {
		if l.holders = slices.Clone(m.holders); len(l.holders) > 0 {
			lines = append(lines, fmt.Sprintf("waiting for a free core since %s: %s (--core none begins at once, beside them)", m.since.Format(time.TimeOnly), strings.Join(l.holders, "; ")))
		}
	}
	lines = append(lines, m.notes[l.notes:]...)
	l.notes = len(m.notes)
	l.runs = append(l.runs, make([]logged, len(m.runs)-len(l.runs))...)
	ended := false
	for i, r := range m.runs {
		said := &l.runs[i]
		ended = ended || r.over() && r.stage != said.stage
		if news := r.news(*said, now); news != "" && (!l.Brief || r.over()) {
			lines = append(lines, r.name+": "+news)
			said.at = now
		}
		said.stage, said.boot, said.quarter = r.stage, r.boot, r.quarter()
	}
	if ended && !l.Brief && len(m.runs) > 1 {
		lines = append(lines, m.standing(now))
	}
	return lines
}

func (r run) quarter() int { return int(4 * share(r.counts.Done, r.total)) }

// news is what is to be said of a run after what was said before, nothing for
// nothing. A cluster without a workload is its own end.
func (r run) news(before logged, now time.Time) string {
	switch {
	case r.stage != before.stage || r.boot != before.boot:
		if r.over() {
			return r.end()
		}
		return r.does()
	case r.stage != Running || r.counts.Done == r.total:
		// The end is reported next.
		return ""
	case r.quarter() > before.quarter || now.Sub(before.at) >= logInterval:
		return r.standing(now)
	default:
		return ""
	}
}

// does says what a run does in a stage without counts, and with what it begins to run.
func (r run) does() string {
	switch r.stage {
	case Elsewhere:
		return "under way in a task"
	case Creating:
		return "creating the container"
	case Booting:
		return "booting " + r.boot
	case Running:
		return "running, " + text.Plural(r.total, "job")
	case Collecting:
		return "collecting accounting and logs"
	default:
		return ""
	}
}

// standing says how far a run is.
func (r run) standing(now time.Time) string {
	text := fmt.Sprintf("%s, %d running, %s of virtual time", r.done(), r.counts.Running, virtual(r.counts.Time))
	for _, more := range []string{times(r.rate(now)), r.left(now)} {
		if more != "" {
			text += ", " + more
		}
	}
	return text
}

// standing says how far all runs are.
func (m *Model) standing(now time.Time) string {
	done, jobs, _ := m.sum()
	live := 0
	for _, r := range m.runs {
		if r.live() {
			live++
		}
	}
	text := fmt.Sprintf("all: %d running, %s, jobs %s", live, m.counted(), doneOf(done, jobs))
	if left := m.left(now); left != "" && !m.stopping {
		text += ", " + left
	}
	return text
}

func (r run) done() string { return doneOf(r.counts.Done, r.total) }

func doneOf(done, jobs int) string {
	return fmt.Sprintf("%d of %d done (%d %%)", done, jobs, percent(share(done, jobs)))
}

// rate is how much faster than real time the virtual time of a run has been, known after a second.
func (r run) rate(now time.Time) (rate float64, known bool) {
	passed := now.Sub(r.running).Seconds()
	return r.counts.Time / max(passed, 1), passed >= 1
}

// times is a rate for people, nothing where none is known.
func times(rate float64, known bool) string {
	if !known {
		return ""
	}
	return fmt.Sprintf("%.0fx", rate)
}

// end says how a run ended.
func (r run) end() string {
	if r.total == 0 {
		return ""
	}
	how := map[Stage]string{Complete: "complete", Stopped: "stopped", Failed: "failed"}[r.stage]
	text := fmt.Sprintf("%s after %s, %s", how, text.Duration(r.ended.Sub(r.began).Seconds()), r.done())
	if r.counts.Time > 0 {
		text += ", " + virtual(r.counts.Time) + " of virtual time"
	}
	return text
}
