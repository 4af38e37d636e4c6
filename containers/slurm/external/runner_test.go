package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
)

// fake is a Slurm whose jobs run, on the time of testing/synctest.
type fake struct {
	running map[int]Job
	log     []string
	began   time.Time
	// scripts is where they are kept.
	scripts string
	// down is how many questions and ends get no answer.
	down int
	// details are those of jobs that have any.
	details map[int]scripts.Details
	// wakes are when the scheduler was woken, after the beginning.
	wakes []time.Duration
	// ends is the runner's log.
	ends bytes.Buffer
}

func (f *fake) silent() error {
	if f.down == 0 {
		return nil
	}
	f.down--
	return fmt.Errorf("%w: Unable to contact slurm controller", ErrUnanswered)
}

func (f *fake) Running(context.Context) ([]Job, error) {
	if err := f.silent(); err != nil {
		return nil, err
	}
	var jobs []Job
	for _, id := range slices.Sorted(maps.Keys(f.running)) {
		jobs = append(jobs, f.running[id])
	}
	return jobs, nil
}

func (f *fake) Job(_ context.Context, id int) (Job, error) {
	if err := f.silent(); err != nil {
		return Job{}, err
	}
	job, found := f.running[id]
	if !found {
		return job, ErrGone
	}
	return job, nil
}

func (f *fake) Details(_ context.Context, id int) (scripts.Details, error) {
	if err := f.silent(); err != nil {
		return scripts.Details{}, err
	}
	d, found := f.details[id]
	if !found {
		return d, ErrGone
	}
	return d, nil
}

func (f *fake) Reconfigure(context.Context) error {
	if f.down > 0 {
		f.down--
		return errors.New("Unable to contact slurm controller")
	}
	f.log = append(f.log, fmt.Sprintf("reconfigured after %v", time.Since(f.began)))
	return nil
}

func (f *fake) Wake(context.Context) error {
	if err := f.silent(); err != nil {
		return err
	}
	f.wakes = append(f.wakes, time.Since(f.began))
	return nil
}

func (f *fake) End(_ context.Context, id, code int) error {
	if err := f.silent(); err != nil {
		return err
	}
	if _, found := f.running[id]; !found {
		return ErrGone
	}
	delete(f.running, id)
	f.log = append(f.log, fmt.Sprintf("job %d ends with %d after %v", id, code, time.Since(f.began)))
	return nil
}

func (f *fake) Cancel(_ context.Context, id int) error {
	if err := f.silent(); err != nil {
		return err
	}
	delete(f.running, id)
	f.log = append(f.log, fmt.Sprintf("job %d is cancelled after %v", id, time.Since(f.began)))
	return nil
}

// real is the time of testing/synctest.
type real struct{}

func (real) Now() time.Time { return time.Now() }

func (real) Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (bool, error) {
	var due <-chan time.Time
	if !until.IsZero() {
		due = time.After(time.Until(until))
	}
	select {
	case <-wake:
		return true, nil
	case <-due:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// bench lets a Runner run for an hour. Before it begins, before happens, and act when it
// waits for the first time. bench returns what happened to the jobs.
func bench(t *testing.T, kept map[string]string, before func(*fake), act func(*fake, *News, string)) []string {
	t.Helper()
	dir, spool := t.TempDir(), t.TempDir()
	for name, text := range kept {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log []string
	synctest.Test(t, func(t *testing.T) {
		slurm := &fake{running: map[int]Job{}, began: time.Now(), details: map[int]scripts.Details{}, scripts: dir}
		r := &Runner{
			Slurm: slurm, Clock: real{}, Scripts: dir, Spool: spool, Processes: scripts.Processes{Spool: spool}, Log: slog.New(slog.DiscardHandler), Ends: &slurm.ends,
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		before(slurm)
		news, done := NewNews(), make(chan error)
		go func() { done <- r.Run(ctx, news) }()
		synctest.Wait()
		act(slurm, news, spool)
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the runner ended: %v", err)
		}
		log = slurm.log
	})
	if left, err := os.ReadDir(spool); err != nil || len(left) > 0 {
		t.Errorf("%v, %v: want no running job at the end", left, err)
	}
	return log
}

// idle is a Slurm without jobs.
func idle(*fake) {}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func job(id int, start time.Time, script string) Job {
	return Job{ID: id, Start: start, Comment: "slurmlab tasks=4 script=" + script}
}

func TestJobsEndAtTheirTime(t *testing.T) {
	kept := map[string]string{
		"1": "#!/bin/bash\n# slurmlab seconds=600\n", "2": "# slurmlab seconds=60\n",
		"3": "# slurmlab seconds=0\n", "4": "# slurmlab seconds=1:150,2:75\n",
	}
	log := bench(t, kept, idle, func(s *fake, n *News, spool string) {
		s.running[1] = job(1, s.began, "1")
		n.Started(1)
		time.Sleep(30500 * time.Millisecond)
		// What counts is Slurm's start, which is a whole second and in the past.
		s.running[2] = job(2, s.began.Add(30*time.Second), "2")
		s.running[3] = job(3, s.began.Add(30*time.Second), "3")
		s.running[4] = job(4, s.began.Add(30*time.Second), "4")
		s.running[4] = Job{ID: 4, Start: s.running[4].Start, GPUs: 2, Comment: s.running[4].Comment}
		n.Started(2)
		n.Started(3)
		n.Started(4)
		n.Started(2)
		time.Sleep(time.Second)
		if left, _ := filepath.Glob(filepath.Join(spool, "job*")); len(left) != 3 {
			t.Errorf("running: %v, want jobs 1, 2 and 4", left)
		}
	})
	expect(t, log, "job 3 ends with 0 after 30.5s", "job 2 ends with 0 after 1m30s", "job 4 ends with 0 after 1m45s", "job 1 ends with 0 after 10m0s")
}

// A script says how its job ends; a cancellation that gets no answer is tried again.
func TestJobsEndAsTheirScriptsSay(t *testing.T) {
	kept := map[string]string{
		"1": "# slurmlab seconds=60 end=failed\n", "2": "# slurmlab seconds=70 end=out_of_memory\n",
		"3": "# slurmlab seconds=80 end=cancelled\n", "4": "# slurmlab seconds=1:150,2:75 end=failed\n", "5": "# slurmlab seconds=9 end=dead\n",
	}
	log := bench(t, kept, idle, func(s *fake, n *News, _ string) {
		for id, script := range []string{1: "1", 2: "2", 3: "3", 4: "4", 5: "5"} {
			if id > 0 {
				s.running[id] = job(id, s.began, script)
			}
		}
		s.running[4] = Job{ID: 4, Start: s.began, GPUs: 2, Comment: s.running[4].Comment}
		for id := range 5 {
			n.Started(id + 1)
		}
		time.Sleep(79 * time.Second)
		s.down = 2
	})
	expect(t, log, "job 5 ends with 256 after 0s", "job 1 ends with 256 after 1m0s", "job 2 ends with 253 after 1m10s",
		"job 4 ends with 256 after 1m15s", "job 3 is cancelled after 1m22s")
}

// The end of a job has slurmctld look at its queue, as an epilog's end does on a node with a slurmd
// (_slurm_rpc_epilog_complete in src/slurmctld/proc_req.c). It looks once for all jobs that end at an instant, also
// for jobs that Slurm has ended, and not for one that has never run.
func TestEndsWakeTheScheduler(t *testing.T) {
	kept := map[string]string{"1": "# slurmlab seconds=60\n", "2": "# slurmlab seconds=60\n", "3": "# slurmlab seconds=90 end=cancelled\n", "4": "# slurmlab seconds=600\n"}
	var slurm *fake
	bench(t, kept, idle, func(s *fake, n *News, _ string) {
		slurm = s
		for id := 1; id <= 4; id++ {
			s.running[id] = job(id, s.began, fmt.Sprint(id))
			n.Started(id)
		}
		time.Sleep(60500 * time.Millisecond)
		n.Ended(1)
		n.Ended(2)
		time.Sleep(39500 * time.Millisecond)
		delete(s.running, 4)
		n.Ended(4)
		n.Ended(5)
	})
	if want := []time.Duration{60 * time.Second, 90 * time.Second, 100 * time.Second}; !slices.Equal(slurm.wakes, want) {
		t.Errorf("woken after %v, want %v", slurm.wakes, want)
	}
}

// A Slurm that does not answer is not asked again: it looks at its queue by itself before long.
func TestUnansweredWake(t *testing.T) {
	r := &Runner{Slurm: &fake{down: 1}, Log: slog.New(slog.DiscardHandler), freed: true}
	if err := r.wake(t.Context()); err != nil || r.freed {
		t.Errorf("got %v, freed %t, want neither", err, r.freed)
	}
}

// A job that Slurm ended is no longer the runner's.
func TestJobsThatEndedOtherwiseAreForgotten(t *testing.T) {
	log := bench(t, map[string]string{"1": "# slurmlab seconds=600\n", "2": "# slurmlab seconds=600\n"}, idle, func(s *fake, n *News, spool string) {
		s.running[1], s.running[2] = job(1, s.began, "1"), job(2, s.began, "2")
		n.Started(1)
		n.Started(2)
		n.Started(3) // has ended before the runner asked
		time.Sleep(time.Minute)
		delete(s.running, 1)
		n.Ended(1)
		n.Ended(7)
		time.Sleep(time.Second)
		if left, _ := filepath.Glob(filepath.Join(spool, "job*")); len(left) != 1 {
			t.Errorf("running: %v, want job 2", left)
		}
		// Nobody tells of this one's end.
		delete(s.running, 2)
	})
	expect(t, log)
}

// A restarted runner reads from Slurm which jobs run.
func TestRunningJobsAreTakenOver(t *testing.T) {
	log := bench(t, map[string]string{"1": "# slurmlab seconds=600\n", "2": "# slurmlab seconds=5\n"}, func(s *fake) {
		s.running[1], s.running[2] = job(1, s.began.Add(-time.Minute), "1"), job(2, s.began.Add(-time.Minute), "2")
	}, func(*fake, *News, string) {})
	expect(t, log, "job 2 ends with 0 after 0s", "job 1 ends with 0 after 9m0s")
}

// A job whose script is missing, or says no time, must not look like one that ran.
func TestJobsThatCannotRunFail(t *testing.T) {
	log := bench(t, map[string]string{"2": "#!/bin/bash\n", "3": "# slurmlab seconds=1:9\n"}, idle, func(s *fake, n *News, _ string) {
		for id, script := range []string{"0", "1", "2", "3"} {
			s.running[id] = job(id, s.began, script)
		}
		s.running[0] = Job{ID: 0, Start: s.began, Comment: "by hand"}
		for id := range 4 {
			n.Started(id)
		}
	})
	expect(t, log, "job 0 ends with 256 after 0s", "job 1 ends with 256 after 0s", "job 2 ends with 256 after 0s", "job 3 ends with 256 after 0s")
}

func TestEndsAreTriedAgain(t *testing.T) {
	log := bench(t, map[string]string{"1": "# slurmlab seconds=60\n"}, idle, func(s *fake, n *News, _ string) {
		s.running[1] = job(1, s.began, "1")
		n.Started(1)
		time.Sleep(time.Second)
		s.down = 3
	})
	expect(t, log, "job 1 ends with 0 after 1m3s")
}

// A start whose question gets no answer is not lost.
func TestStartsAreAskedForAgain(t *testing.T) {
	log := bench(t, map[string]string{"1": "# slurmlab seconds=60\n"}, idle, func(s *fake, n *News, _ string) {
		s.down = 3
		s.running[1] = job(1, s.began, "1")
		n.Started(1)
	})
	expect(t, log, "job 1 ends with 0 after 1m0s")
}

// A slurmctld that was killed forgets what it did since it last saved its state (SAVE_MAX_WAIT in
// src/slurmctld/state_save.c). If it forgets an end, the job is ended again. If it forgets a start, the job starts
// once more and runs from then. It may move a start from one second into another.
func TestSlurmForgets(t *testing.T) {
	scripts := map[string]string{"1": "# slurmlab seconds=60\n", "2": "# slurmlab seconds=600\n", "3": "# slurmlab seconds=600\n"}
	log := bench(t, scripts, idle, func(s *fake, n *News, spool string) {
		for id, script := range []string{1: "1", 2: "2", 3: "3"} {
			if id > 0 {
				s.running[id] = job(id, s.began, script)
				n.Started(id)
			}
		}
		time.Sleep(62 * time.Second)
		s.running[1] = job(1, s.began, "1")
		delete(s.running, 2)
		s.running[3] = job(3, s.began.Add(62*time.Second), "3")
		s.down = 1
		n.Restarted()
		time.Sleep(2 * time.Second)
		if left, _ := filepath.Glob(filepath.Join(spool, "job*")); len(left) != 1 {
			t.Errorf("running: %v, want job 3", left)
		}
		s.running[2] = job(2, s.began.Add(100*time.Second), "2")
		n.Started(2)
	})
	expect(t, log, "job 1 ends with 0 after 1m0s", "job 1 ends with 0 after 1m3s", "job 3 ends with 0 after 11m2s", "job 2 ends with 0 after 11m40s")
}

// The script of a job that has ended is kept as long as Slurm may forget the end, and no
// longer than to the next end after that.
func TestScriptsAreRemovedLater(t *testing.T) {
	var left []int
	scripts := map[string]string{"1": "# slurmlab seconds=1\n", "2": "# slurmlab seconds=1\n"}
	dir := ""
	bench(t, scripts, idle, func(s *fake, n *News, _ string) {
		dir = s.scripts
		for id, script := range []string{1: "1", 2: "2"} {
			if id > 0 {
				s.running[id] = job(id, time.Now(), script)
				n.Started(id)
				time.Sleep(keep + 2*time.Second)
				files, err := os.ReadDir(dir)
				if err != nil {
					t.Error(err)
				}
				left = append(left, len(files))
			}
		}
	})
	if !slices.Equal(left, []int{2, 1}) {
		t.Errorf("%v scripts are left after the first and the second end, want 2 and 1", left)
	}
}

// On the real clock time(2), which Slurm asks, is behind by up to a tick: an end at the very
// second would be one of the second before.
func TestEndsWaitForSlurmsClock(t *testing.T) {
	r := &Runner{After: 20 * time.Millisecond, Scripts: t.TempDir()}
	if err := os.WriteFile(filepath.Join(r.Scripts, "1"), []byte("# slurmlab seconds=60\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Unix(1861920010, 0)
	var e end
	if _, err := r.plan(t.Context(), job(1, start, "1"), &e); err != nil || !e.at.Equal(start.Add(60020*time.Millisecond)) {
		t.Errorf("ends at %v, %v, want 60.02 s after the start", e.at, err)
	}
}
