package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
)

// stage has scripts that are not run, but remembers what happens to them.
type stage struct {
	life   map[int]scripts.Life
	status map[int]int
	log    []string
	began  time.Time
}

func (p *stage) say(id int, what string) {
	p.log = append(p.log, fmt.Sprintf("script %d %s after %v", id, what, time.Since(p.began)))
}

func (p *stage) Start(l scripts.Launch) error {
	p.say(l.ID, "starts")
	p.life[l.ID] = scripts.Alive
	return nil
}

func (p *stage) Find(id int) (scripts.Life, int, error) { return p.life[id], p.status[id], nil }

func (p *stage) Signal(id int, s syscall.Signal) error {
	p.say(id, "gets "+s.String())
	return nil
}

func (p *stage) Warn(id int, s syscall.Signal) error {
	p.say(id, "is warned by "+s.String())
	return nil
}

func (p *stage) Kill(id int) error {
	p.say(id, "is killed")
	return nil
}

func (p *stage) Remove(id int) error {
	p.say(id, "is removed")
	delete(p.life, id)
	return nil
}

func (p *stage) ends(n *News, id, status int) {
	p.life[id], p.status[id] = scripts.Over, status
	n.Exited(id)
}

// later is when kept scripts of jobs that have ended are no longer kept.
func later(n *News) {
	time.Sleep(2 * keep)
	n.Changed(99)
}

// play is bench for people's scripts, each kept under its job's id. It returns what
// happened to jobs and to scripts, and which kept files are left.
func play(t *testing.T, ids []int, before func(*fake, *stage), act func(*fake, *stage, *News)) (jobs, processes, left []string) {
	t.Helper()
	dir := t.TempDir()
	for _, id := range ids {
		for suffix, text := range map[string]string{"": "#!/bin/sh\nmake\n", scripts.SubmissionSuffix: "signal=10 60 1\x00"} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(id)+suffix), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		slurm := &fake{running: map[int]Job{}, began: time.Now(), details: map[int]scripts.Details{}}
		cast := &stage{life: map[int]scripts.Life{}, status: map[int]int{}, began: time.Now()}
		r := &Runner{Slurm: slurm, Clock: real{}, Scripts: dir, Spool: t.TempDir(), Processes: cast, Log: slog.New(slog.DiscardHandler), Ends: io.Discard}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		before(slurm, cast)
		news, done := NewNews(), make(chan error)
		go func() { done <- r.Run(ctx, news) }()
		synctest.Wait()
		act(slurm, cast, news)
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the runner ended: %v", err)
		}
		jobs, processes = slurm.log, cast.log
	})
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	return jobs, processes, left
}

// starts makes a job of a kept script run, with a limit of 10 minutes.
func (f *fake) starts(id int) {
	f.running[id] = job(id, time.Now(), fmt.Sprint(id))
	f.details[id] = scripts.Details{State: scripts.Running, Comment: f.running[id].Comment, Count: 1, CPUs: 4, Start: time.Now(), End: time.Now().Add(10 * time.Minute)}
}

// becomes changes a job's state.
func (f *fake) becomes(id int, s scripts.State) {
	d := f.details[id]
	d.State = s
	f.details[id] = d
}

func unstarted(*fake, *stage) {}

// sbatch(1): the job ends with its script, and its exit code is the script's.
func TestScriptEndsItsJob(t *testing.T) {
	jobs, processes, left := play(t, []int{7}, unstarted, func(f *fake, p *stage, n *News) {
		f.starts(7)
		n.Started(7)
		n.Started(7)
		time.Sleep(time.Minute)
		p.ends(n, 7, 3<<8)
		time.Sleep(time.Second)
		n.Ended(7)
		later(n)
	})
	expect(t, jobs, "job 7 ends with 768 after 1m0s")
	expect(t, processes, "script 7 starts after 0s", "script 7 is removed after 1m0s")
	expect(t, left)
}

// slurm.conf(5), KillWait: SIGTERM, and SIGKILL 30 seconds later; a script that obeys the
// first gets no second.
func TestEndOfTheJobEndsItsScript(t *testing.T) {
	jobs, processes, left := play(t, []int{1, 2}, unstarted, func(f *fake, p *stage, n *News) {
		for _, id := range []int{1, 2} {
			f.starts(id)
			n.Started(id)
			time.Sleep(time.Second)
			delete(f.running, id)
			n.Ended(id)
		}
		time.Sleep(time.Second)
		p.ends(n, 2, 15)
		time.Sleep(time.Minute)
		p.ends(n, 1, 9)
		later(n)
	})
	expect(t, jobs)
	expect(t, processes, "script 1 starts after 0s", "script 1 gets continued after 1s", "script 1 gets terminated after 1s",
		"script 2 starts after 1s", "script 2 gets continued after 2s", "script 2 gets terminated after 2s",
		"script 2 is removed after 3s", "script 1 is killed after 31s", "script 1 is removed after 1m3s")
	expect(t, left)
}

// sbatch(1), --signal=B: the script is signalled before the end of its job; what the
// limit is when that comes counts. A suspended job gets no signal.
func TestScriptIsWarnedOfItsEnd(t *testing.T) {
	_, processes, _ := play(t, []int{1, 2}, unstarted, func(f *fake, _ *stage, n *News) {
		f.starts(1)
		f.starts(2)
		n.Started(1)
		n.Started(2)
		time.Sleep(time.Second)
		f.becomes(2, scripts.Suspended)
		n.Changed(2)
		d := f.details[1]
		d.End = d.End.Add(time.Minute)
		f.details[1] = d
	})
	expect(t, processes, "script 1 starts after 0s", "script 2 starts after 0s", "script 2 gets stopped (signal) after 1s",
		"script 1 is warned by user defined signal 1 after 10m0s")
}

// scontrol(1), suspend and resume.
func TestSuspendedScriptStops(t *testing.T) {
	_, processes, _ := play(t, []int{7}, unstarted, func(f *fake, _ *stage, n *News) {
		f.starts(7)
		n.Started(7)
		n.Changed(8)
		time.Sleep(time.Second)
		f.becomes(7, scripts.Suspended)
		n.Changed(7)
		time.Sleep(time.Second)
		f.becomes(7, scripts.Running)
		n.Changed(7)
		time.Sleep(time.Second)
		f.becomes(7, scripts.Ended)
		n.Changed(7)
	})
	expect(t, processes[:3], "script 7 starts after 0s", "script 7 gets stopped (signal) after 1s", "script 7 gets continued after 2s")
}

// A suspension of which slurmctld cannot tell at once is learnt of when it answers.
func TestSuspensionIsAskedForAgain(t *testing.T) {
	_, processes, _ := play(t, []int{7}, unstarted, func(f *fake, _ *stage, n *News) {
		f.starts(7)
		n.Started(7)
		time.Sleep(time.Second)
		f.becomes(7, scripts.Suspended)
		f.down = 2
		n.Changed(7)
		time.Sleep(5 * time.Second)
		f.becomes(7, scripts.Ended)
		n.Changed(7)
	})
	if len(processes) < 2 {
		t.Fatalf("got %q, want that the script is stopped", processes)
	}
	expect(t, processes[:2], "script 7 starts after 0s", "script 7 gets stopped (signal) after 3s")
}

// A job that is cancelled before it starts leaves nothing.
func TestScriptOfAJobThatNeverRanIsRemoved(t *testing.T) {
	jobs, processes, left := play(t, []int{7}, unstarted, func(f *fake, _ *stage, n *News) {
		f.details[7] = scripts.Details{State: scripts.Ended, Comment: "slurmlab script=7"}
		n.Ended(7)
		n.Ended(8)
		later(n)
	})
	expect(t, jobs)
	expect(t, processes)
	expect(t, left)
}

// A restarted runner starts no script twice, ends what has ended, and says so where nobody knows how.
func TestScriptsAreFoundAgain(t *testing.T) {
	jobs, processes, left := play(t, []int{1, 2, 3, 4}, func(f *fake, p *stage) {
		for id := 1; id <= 4; id++ {
			f.starts(id)
		}
		p.life[1], p.life[2], p.life[3] = scripts.Alive, scripts.Over, scripts.Lost
		p.status[2] = 5 << 8
	}, func(_ *fake, p *stage, n *News) {
		time.Sleep(time.Second)
		p.ends(n, 1, 0)
		later(n)
	})
	expect(t, jobs, "job 2 ends with 1280 after 0s", "job 3 ends with 256 after 0s", "job 1 ends with 0 after 1s")
	slices.Sort(processes)
	expect(t, processes, "script 1 is removed after 1s", "script 2 is removed after 0s", "script 3 is removed after 0s",
		"script 4 is warned by user defined signal 1 after 9m0s", "script 4 starts after 0s")
	expect(t, left, "4", "4"+scripts.SubmissionSuffix)
}

// Several nodes that did not respond are healed at once, and a heal that fails is tried
// again.
func TestNodesAreHealed(t *testing.T) {
	jobs, _, _ := play(t, nil, unstarted, func(f *fake, _ *stage, n *News) {
		n.Unreachable()
		time.Sleep(time.Second)
		n.Unreachable()
		time.Sleep(time.Minute)
		f.down = 1
		n.Unreachable()
	})
	expect(t, jobs, "reconfigured after 2s", "reconfigured after 1m5s")
}
