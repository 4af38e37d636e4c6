package progress_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
)

// at is a real time so many seconds after the beginning of a test.
func at(seconds float64) time.Time {
	return time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

func running(virtual float64, submitted, now, done int) progress.Update {
	return progress.Update{Stage: progress.Running, Counts: drive.Progress{Time: virtual, Submitted: submitted, Running: now, Done: done}}
}

// pair is the middle of a comparison: one run is going, one boots, the third is over
// and the fourth has not begun.
func pair() *progress.Model {
	m := progress.New(progress.Run{Name: "backfill-seed1", Jobs: 119}, progress.Run{Name: "auction-seed1", Jobs: 119},
		progress.Run{Name: "backfill-seed2", Jobs: 98}, progress.Run{Name: "auction-seed2", Jobs: 98})
	m.Update(2, progress.Update{Stage: progress.Creating}, at(0))
	m.Update(2, running(7200, 98, 0, 98), at(20))
	m.Update(2, progress.Update{Stage: progress.Complete}, at(21))
	m.Update(0, progress.Update{Stage: progress.Creating}, at(0))
	m.Update(0, running(0, 0, 0, 0), at(4))
	m.Update(0, running(3730, 80, 34, 21), at(22))
	m.Update(1, progress.Update{Stage: progress.Booting, Boot: "3/5 slurmctld"}, at(21))
	return m
}

func TestLine(t *testing.T) {
	single := progress.New(progress.Run{Name: "auction", Jobs: 119})
	single.Update(0, progress.Update{Stage: progress.Creating}, at(0))
	single.Update(0, running(0, 0, 0, 0), at(4))
	single.Update(0, running(3730, 80, 34, 21), at(22))
	stopping := pair()
	stopping.Stop("stopping")
	waiting := progress.New(progress.Run{Name: "auction", Jobs: 119})
	waiting.Wait([]string{"core 1: run S-V.2-backfill-seed1-20300101-115500, container 0123456789ab, process 4711", "core 0: process 4712"}, at(1))
	booting := progress.New(progress.Run{Name: "backfill", Jobs: 119}, progress.Run{Name: "auction", Jobs: 119})
	booting.Update(1, progress.Update{Stage: progress.Booting, Boot: "3/5 slurmctld"}, at(1))
	cluster := progress.New(progress.Run{Name: "mine"})
	cluster.Update(0, progress.Update{Stage: progress.Creating}, at(1))
	parallel := pair()
	parallel.Update(1, running(0, 0, 0, 0), at(12))
	parallel.Update(1, running(1000, 80, 34, 60), at(22))
	collecting := progress.New(progress.Run{Name: "auction", Jobs: 8})
	collecting.Update(0, running(100, 8, 0, 0), at(1))
	collecting.Update(0, running(600, 8, 0, 8), at(3))
	collecting.Update(0, progress.Update{Stage: progress.Collecting}, at(3))
	again := progress.New(progress.Run{Name: "auction", Jobs: 8})
	again.Update(0, running(600, 8, 0, 8), at(1))
	again.Update(0, running(0, 0, 0, 0), at(20))
	for _, tt := range []struct {
		name  string
		model *progress.Model
		width int
		want  string
	}{
		{"one run, wide", single, 120, "  17% [==>.................]  21 of 119 done, about 1 min left, 207x, 1:02:10"},
		{"one run", single, 80, "  17% [==>.................]  21 of 119 done, about 1 min left, 207x, 1:02:10"},
		{"one run, narrow", single, 40, "  17% [>.........]  21 of 119 done, 207x"},
		{"a comparison, wide", pair(), 120, "  27% [====>...............]  119 of 434 done, about 1 min left, 207x, 1 of 4 runs"},
		{"a comparison", pair(), 80, "  27% [===>..............]  119 of 434 done, about 1 min left, 207x, 1 of 4 runs"},
		{"a comparison, narrow", pair(), 40, "  27% [=>.......]  119 of 434 done, 207x"},
		{"two clusters at once", parallel, 120, "  41% [=======>............]  179 of 434 done, about 30 s left, 307x, 1 of 4 runs"},
		{"being stopped", stopping, 80, "  27% [====>...............]  119 of 434 done, stopping, 207x, 1 of 4 runs"},
		{"waiting for a core", waiting, 80, "waiting for a free core, 21 s so far"},
		{"booting", booting, 80, "   0% [............]  0 of 238 done, auction: booting 3/5 slurmctld, 0 of 2 runs"},
		{"a cluster without a workload", cluster, 80, "mine: creating the container"},
		{"all jobs have ended", collecting, 80, " 100% [=========]  8 of 8 done, auction: collecting accounting and logs, 0:10:00"},
		{"a disturbed run made again", again, 80, "   0% [....................]  0 of 8 done, 0x, 0:00:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.model.Line(at(22), tt.width); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// No line is wider than the terminal or breaks it, whatever runs are called and do.
func TestLineFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []progress.Run
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			runs = append(runs, progress.Run{Name: rapid.String().Draw(t, "name"), Jobs: rapid.IntRange(1, 3_000_000).Draw(t, "jobs")})
		}
		m := progress.New(runs...)
		now := 0.0
		for range rapid.IntRange(0, 8).Draw(t, "updates") {
			now += rapid.Float64Range(0, 1e5).Draw(t, "passed")
			i := rapid.IntRange(0, len(runs)-1).Draw(t, "run")
			done := rapid.IntRange(0, runs[i].Jobs).Draw(t, "done")
			m.Update(i, progress.Update{
				Stage:  progress.Stage(rapid.IntRange(int(progress.Creating), int(progress.Failed)).Draw(t, "stage")),
				Boot:   rapid.String().Draw(t, "boot"),
				Counts: drive.Progress{Time: 1e9 * float64(done), Submitted: runs[i].Jobs, Running: done, Done: done},
			}, at(now))
		}
		if rapid.Bool().Draw(t, "waits") {
			m.Wait(rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "holders"), at(now))
		}
		if rapid.Bool().Draw(t, "stopped") {
			m.Stop("stopping")
		}
		width := rapid.SampledFrom([]int{1, 10, 39, 40, 79, 80, 119, 120}).Draw(t, "width")
		line := m.Line(at(now+1), width)
		if w := runewidth.StringWidth(line); w > width {
			t.Errorf("%d of %d columns: %q", w, width, line)
		}
		if strings.ContainsAny(line, "\n\r\x1b") {
			t.Errorf("control character in %q", line)
		}
	})
}

// The bar, the per cent and the counts of a line are the same fraction.
func TestOneFraction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := rapid.IntRange(1, 5000).Draw(t, "jobs")
		done := rapid.IntRange(0, jobs).Draw(t, "done")
		m := progress.New(progress.Run{Name: "auction", Jobs: jobs})
		m.Update(0, running(100, jobs, 0, done), at(0))
		var percent, shown, of int
		line := m.Line(at(10), 120)
		before, after, _ := strings.Cut(line, "[")
		bar, counts, _ := strings.Cut(after, "]")
		if _, err := fmt.Sscanf(strings.Join(strings.Fields(before+counts), " "), "%d%% %d of %d done", &percent, &shown, &of); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		// The library's numbers are binary: it prints 28 % of 29 of 100.
		exact := 100 * float64(done) / float64(jobs)
		if shown != done || of != jobs || percent != 100*done/jobs && float64(percent+1) != exact || strings.Count(bar, "=")+strings.Count(bar, ">") != len(bar)*percent/100 {
			t.Errorf("%d of %d jobs: %q", done, jobs, line)
		}
	})
}

// A log tells each stage, each quarter and every half minute of a run; a brief one
// tells ends, notes and who has the cores.
func TestLog(t *testing.T) {
	m := progress.New(progress.Run{Name: "auction", Jobs: 8})
	full, brief := &progress.Log{}, &progress.Log{Brief: true}
	var all, ends []string
	say := func(seconds float64) {
		all = append(all, full.Lines(m, at(seconds))...)
		ends = append(ends, brief.Lines(m, at(seconds))...)
	}
	update := func(seconds float64, u progress.Update) {
		m.Update(0, u, at(seconds))
		say(seconds)
	}
	m.Wait([]string{"core 0: run other", "core 1: process 7"}, at(0))
	say(0)
	m.Wait([]string{"core 0: run other", "core 1: process 7"}, at(2))
	say(2)
	m.Note("about 10 s of real time")
	update(4, progress.Update{Stage: progress.Creating})
	update(5, progress.Update{Stage: progress.Booting, Boot: "1/5 database"})
	update(6, progress.Update{Stage: progress.Booting, Boot: "5/5 nodes"})
	update(10, running(0, 0, 0, 0))
	update(11, running(100, 3, 3, 0))
	update(20, running(1000, 6, 4, 2))
	update(21, running(1100, 6, 4, 3))
	say(49)
	say(51)
	m.Stop("stopping: wait")
	m.Stop("stopping: wait")
	say(60)
	update(60.5, running(1200, 8, 0, 8))
	update(61, progress.Update{Stage: progress.Collecting})
	update(62, progress.Update{Stage: progress.Stopped})
	say(1000)
	want := []string{
		"waiting for a free core since " + at(0).Format(time.TimeOnly) + ": core 0: run other; core 1: process 7 (--core none begins at once, beside them)",
		"about 10 s of real time",
		"auction: creating the container",
		"auction: booting 1/5 database",
		"auction: booting 5/5 nodes",
		"auction: running, 8 jobs",
		"auction: 2 of 8 done (25 %), 4 running, 0:16:40 of virtual time, 100x, about 25 s left",
		"auction: 3 of 8 done (37 %), 4 running, 0:18:20 of virtual time, 27x, about 1 min left",
		"stopping: wait",
		"auction: collecting accounting and logs",
		"auction: stopped after 58 s, 8 of 8 done (100 %), 0:20:00 of virtual time",
	}
	if !slices.Equal(all, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(want, "\n"))
	}
	if want = []string{want[0], want[1], want[8], want[10]}; !slices.Equal(ends, want) {
		t.Errorf("brief: got\n%s\nwant\n%s", strings.Join(ends, "\n"), strings.Join(want, "\n"))
	}
}

// A run that is made again, since it was disturbed, has the speed and the duration of that time.
func TestLogOfARunMadeAgain(t *testing.T) {
	m := progress.New(progress.Run{Name: "auction", Jobs: 8})
	log := &progress.Log{}
	var all []string
	update := func(seconds float64, u progress.Update) {
		m.Update(0, u, at(seconds))
		all = append(all, log.Lines(m, at(seconds))...)
	}
	for _, begin := range []float64{0, 100} {
		update(begin, progress.Update{Stage: progress.Creating})
		update(begin+10, running(0, 0, 0, 0))
		update(begin+20, running(1000, 6, 4, 2))
		update(begin+30, progress.Update{Stage: progress.Collecting})
	}
	update(132, progress.Update{Stage: progress.Complete})
	once := []string{
		"auction: creating the container",
		"auction: running, 8 jobs",
		"auction: 2 of 8 done (25 %), 4 running, 0:16:40 of virtual time, 100x, about 30 s left",
		"auction: collecting accounting and logs",
	}
	want := append(slices.Concat(once, once), "auction: complete after 32 s, 2 of 8 done (25 %), 0:16:40 of virtual time")
	if !slices.Equal(all, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(want, "\n"))
	}
}

// After the end of each of several runs a log has the progress of all.
func TestLogOfSeveral(t *testing.T) {
	m, l := pair(), &progress.Log{}
	l.Lines(m, at(22))
	m.Update(0, progress.Update{Stage: progress.Failed}, at(30))
	want := []string{
		"backfill-seed1: failed after 30 s, 21 of 119 done (17 %), 1:02:10 of virtual time",
		"all: 1 running, 1 of 4 runs, 1 failed, jobs 119 of 434 done (27 %), about 1 min left",
	}
	if got := l.Lines(m, at(30)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	m.Stop("stopping")
	m.Update(1, progress.Update{Stage: progress.Stopped}, at(31))
	m.There(10)
	if got, want := l.Lines(m, at(31)), "all: 0 running, 11 of 14 runs (10 were there), 1 failed, jobs 119 of 434 done (27 %)"; got[len(got)-1] != want {
		t.Errorf("got %q, want %q last", got, want)
	}
}

// Of two runs that are going the slower one tells when both are over, and nobody
// before its jobs have begun to end.
func TestLeftOfAll(t *testing.T) {
	m := progress.New(progress.Run{Name: "fast", Jobs: 100}, progress.Run{Name: "slow", Jobs: 100})
	all := func() string { return m.Line(at(20), 120) }
	for i, done := range []int{50, 1} {
		m.Update(i, running(0, 100, 0, 0), at(10))
		m.Update(i, running(100, 100, 0, done), at(20))
	}
	if got := all(); strings.Contains(got, "left") {
		t.Errorf("without a basis: %q", got)
	}
	m.Update(1, running(100, 100, 0, 20), at(20))
	if got := all(); !strings.Contains(got, "done, about 40 s left") {
		t.Errorf("got %q, want the 40 s of the slow run", got)
	}
	m.Update(1, progress.Update{Stage: progress.Failed}, at(20))
	if got := all(); !strings.Contains(got, "done, about 10 s left") {
		t.Errorf("got %q, want the 10 s of the fast run", got)
	}
}

// The time left of runs that wait is their estimate, times how much slower than estimated the runs before were. Slow runs so
// have their share, though all have as many jobs.
func TestLeftFollowsThePace(t *testing.T) {
	m := progress.New(progress.Run{Name: "backfill-seed1", Jobs: 100, Estimate: 10 * time.Second}, progress.Run{Name: "auction-seed1", Jobs: 100, Estimate: 40 * time.Second},
		progress.Run{Name: "backfill-seed2", Jobs: 100, Estimate: 10 * time.Second}, progress.Run{Name: "auction-seed2", Jobs: 100, Estimate: 40 * time.Second})
	says := func(seconds float64, want string) {
		t.Helper()
		if got := m.Line(at(seconds), 120); !strings.Contains(got, want) || want == "" && strings.Contains(got, "left") {
			t.Errorf("after %g s: got %q, want %q", seconds, got, want)
		}
	}
	m.Update(0, progress.Update{Stage: progress.Creating}, at(0))
	says(5, "")
	// The first run takes 30 s, three times its estimate. The others are estimated to take 90 s, and so take 270 s.
	m.Update(0, running(0, 0, 0, 0), at(0))
	m.Update(0, running(100, 100, 0, 50), at(15))
	says(15, "about 5 min left") // 15 s + 270 s
	m.Update(0, progress.Update{Stage: progress.Complete}, at(30))
	says(30, "about 5 min left")
	// The second one is faster: a quarter takes 10 s, so 30 s are left; both took 70 s in place of 50, so the others take 70.
	m.Update(1, progress.Update{Stage: progress.Creating}, at(30))
	m.Update(1, running(0, 0, 0, 0), at(30))
	says(35, "about 4 min left") // 120 s - 5 s + 150 s
	m.Update(1, running(100, 100, 0, 25), at(40))
	says(40, "about 2 min left")
	// Two at a time: the last begins where the first of both ends.
	m.Update(2, progress.Update{Stage: progress.Creating}, at(40))
	says(40, "about 1 min left") // 14 s + 56 s, where one after the other takes 100 s
}

// Nothing is stopping before a run has begun.
func TestStopBeforeTheFirstRun(t *testing.T) {
	m := progress.New(progress.Run{Name: "auction", Jobs: 8})
	m.Stop("stopping")
	if got := (&progress.Log{}).Lines(m, at(0)); len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

// A guess has no more digits than a guess can have.
func TestAbout(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"5 s": time.Second, "25 s": 24 * time.Second, "1 min": 56 * time.Second, "4 min": 4*time.Minute + 20*time.Second,
		"1 h": 58 * time.Minute, "1 h 20 min": 79 * time.Minute, "9 h 50 min": 9*time.Hour + 52*time.Minute,
		"10 h": 10*time.Hour + 20*time.Minute, "31 h": 31 * time.Hour,
	} {
		if got := progress.About(d); got != want {
			t.Errorf("About(%v) = %q, want %q", d, got, want)
		}
	}
}
