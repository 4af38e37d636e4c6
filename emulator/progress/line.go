package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/schollz/progressbar/v3"

	"github.com/slurmlab/slurmlab/internal/text"
)

// Widths in columns: a bar between its brackets, and what a line has beside bar and words, as in "  17% [==>---]  ".
const (
	longestBar  = 20
	shortestBar = 6
	besideBar   = 10
)

// Line returns what a terminal of that width shows of the whole command now. It is a bar of the jobs that have ended,
// then as many words about them as there is room for, the most important first. A cluster without a workload has no
// bar.
func (m *Model) Line(now time.Time, width int) string {
	done, jobs, _ := m.sum()
	if jobs == 0 || len(m.holders) > 0 {
		return fit(m.activity(now), width)
	}
	words := m.words(now, width-besideBar-shortestBar)
	// The bar lives as long as one line. A full one would not be drawn again while accounting is collected, nor go
	// back where a disturbed run is made again.
	bar := progressbar.NewOptions(jobs,
		progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetTheme(progressbar.ThemeASCII),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetWidth(max(0, min(longestBar, width-besideBar-runewidth.StringWidth(words)))),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetDescription(words),
	)
	_, _ = bar.Set(done), bar.RenderBlank()
	return fit(strings.TrimRight(strings.TrimLeft(bar.String(), "\r"), " "), width)
}

// words say, in so many columns, how far the command is and what it does.
func (m *Model) words(now time.Time, room int) string {
	done, jobs, _ := m.sum()
	left, last := m.left(now), m.counted()
	if m.stopping {
		left = "stopping"
	}
	if len(m.runs) == 1 {
		last = virtual(m.runs[0].counts.Time)
	}
	words := fmt.Sprintf("%d of %d done", done, jobs)
	for _, more := range []string{left, m.speed(now), m.activity(now), last} {
		if longer := words + ", " + more; more != "" && runewidth.StringWidth(longer) <= room {
			words = longer
		}
	}
	return words
}

// activity is what the command does while no job of it runs: the news of the first run that is under way.
func (m *Model) activity(now time.Time) string {
	if len(m.holders) > 0 {
		return fmt.Sprintf("waiting for a free core, %s so far", text.Duration(now.Sub(m.since).Seconds()))
	}
	var first string
	for _, r := range m.runs {
		switch {
		case r.stage == Running:
			return ""
		case r.live() && first == "":
			first = r.name + ": " + r.does()
		}
	}
	return first
}

// speed is the speed of all clusters whose jobs run now: two that go 100 times as fast as real time are 200 times as
// fast.
func (m *Model) speed(now time.Time) string {
	sum, some := 0.0, false
	for _, r := range m.runs {
		if rate, known := r.rate(now); known && r.stage == Running {
			sum, some = sum+rate, true
		}
	}
	return times(sum, some)
}

// fit cuts what is too wide.
func fit(text string, width int) string {
	if runewidth.StringWidth(text) <= width {
		return text
	}
	return runewidth.Truncate(text, width, strings.Repeat(".", min(2, max(width, 0))))
}
