package view_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/view"
	"github.com/slurmlab/slurmlab/emulator/watch"
)

// watched are the looks that "slurmlabd watch" takes at a run of so many virtual seconds whose
// speed changes around one, with the time past as the number of waiting jobs. Slurm takes up to
// a virtual second to answer.
func watched(began, length, speed float64, seed uint64) []watch.Look {
	random := rand.New(rand.NewPCG(seed, 1))
	start := at(0, began).Virtual
	var looks []watch.Look
	now, real, measured := began, 0.0, 0.0
	for now < began+length {
		actual := speed * (0.5 + random.Float64())
		instant := watch.Shared(start, at(0, now).Virtual, measured)
		wait := instant.Sub(at(0, now).Virtual).Seconds() / actual
		var due time.Time
		switch {
		case wait > 1.25:
			wait = 1.25
		case wait >= 0.25:
			due = instant
		default:
			wait = 0.25
		}
		answer := 0.9 * random.Float64()
		before := now
		now += wait*actual + answer
		real += wait
		measured = (now - before) / wait
		l := look("scaled", now, int(now-began))
		l.Now, l.Due = at(real, now), due
		looks = append(looks, l)
	}
	return looks
}

// shownTimes are the times past of the two clusters beside each other, see watched.
func shownTimes(t *testing.T, m *terminal) (times [2]int) {
	t.Helper()
	waiting := regexp.MustCompile(`(\d+) jobs? waiting`)
	for _, line := range m.Lines() {
		for k, part := range strings.Split(ansi.Strip(line), " │ ") {
			if found := waiting.FindStringSubmatch(part); found != nil {
				times[k], _ = strconv.Atoi(found[1])
			}
		}
	}
	return times
}

// Runs whose speeds differ, and that do not begin at the same time, are shown at the same time past, and not long
// ago. That holds whether one of them is over and long or both go on.
func TestSideBySideAtTheSameTime(t *testing.T) {
	for name, speeds := range map[string][2]float64{"equal": {30, 30}, "second slower": {700, 40}, "second faster": {25, 900}, "real time": {1, 1}} {
		m := newTerminal("one", "two")
		length := 200 * max(speeds[0], speeds[1])
		first, second := watched(0, length, speeds[0], 7), watched(53.7, min(length, 200*speeds[1]), speeds[1], 8)
		m.Update(view.Began{Cluster: 0, At: at(0, 0).Virtual})
		m.Update(view.Began{Cluster: 1, At: at(0, 53.7).Virtual})
		for _, l := range first {
			m.Update(view.Look{Cluster: 0, Look: l})
		}
		m.Update(view.Show{Groups: [][]int{{0, 1}}, Over: []int{0}})
		apart, compared := 0, 0
		for i, l := range second {
			m.Update(view.Look{Cluster: 1, Look: l})
			times := shownTimes(t, m)
			if i < 8 {
				continue // A run of some looks may have none of the other's time yet.
			}
			compared++
			if diff := times[0] - times[1]; max(diff, -diff) > 2 {
				apart++
				if !strings.Contains(m.text(), "(the look nearest to +") && !strings.Contains(m.text(), "(the last look)") {
					t.Errorf("%s: +%d s beside +%d s, and the picture does not say so:\n%s", name, times[0], times[1], m.text())
				}
			}
			shown := slices.IndexFunc(second, func(l watch.Look) bool { return l.Waiting == times[1] })
			if late := l.Now.Real.Sub(second[shown].Now.Real); late > 8*time.Second {
				t.Errorf("%s: the picture is %v old", name, late)
			}
		}
		// A run that was much faster has fewer looks than the slow one beside it.
		if compared < 100 || name != "second slower" && apart*20 > compared {
			t.Errorf("%s: of %d pictures, %d are not of one time", name, compared, apart)
		}
	}
}

// Where looks are of other times, the picture says of which time it would be.
func TestSideBySideAtOtherTimes(t *testing.T) {
	m := newTerminal("one", "two")
	for _, past := range []float64{0, 40, 80, 120} {
		m.Update(view.Look{Cluster: 0, Look: look("scaled", past, 100+int(past))})
	}
	m.Update(view.Look{Cluster: 1, Look: look("scaled", 0, 100)})
	m.Update(view.Look{Cluster: 1, Look: look("scaled", 55, 155)})
	m.Update(view.Show{Groups: [][]int{{0, 1}}})
	if text := m.text(); strings.Contains(text, "nearest") || strings.Count(text, "100 jobs waiting") != 2 {
		t.Errorf("not both at 0 s, the last time of which both have a look:\n%s", text)
	}
	m = newTerminal("one", "two")
	for _, past := range []float64{0, 40, 80, 120} {
		m.Update(view.Look{Cluster: 0, Look: look("scaled", past, 100+int(past))})
	}
	m.Update(view.Began{Cluster: 1, At: at(0, 0).Virtual})
	m.Update(view.Look{Cluster: 1, Look: look("scaled", 55, 155)})
	m.Update(view.Show{Groups: [][]int{{0, 1}}})
	text := m.text()
	for _, want := range []string{"140 jobs waiting", "155 jobs waiting", "+40s  (the look nearest to +55s)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	m.Update(view.Look{Cluster: 1, Look: look("scaled", 1000, 1100)})
	m.Update(view.Show{Groups: [][]int{{0, 1}}, Over: []int{0}})
	if text = m.text(); !strings.Contains(text, "+2m00s  (the last look)") || !strings.Contains(text, "1100 jobs waiting") {
		t.Errorf("a run that is over does not say that its picture is the last one:\n%s", text)
	}
}
