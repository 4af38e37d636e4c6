package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/payload"
)

// Slurm is how a Runner asks for jobs and ends them; see Jobs.
type Slurm interface {
	Running() ([]Job, error)
	Job(id int) (Job, error)
	End(id, code int) error
}

// Clock is virtual time; see clock.Clock.
type Clock interface {
	Now() time.Time
	Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (woken bool, err error)
}

// Runner ends each job at its start plus its run time.
type Runner struct {
	Slurm Slurm
	Clock Clock
	// Scripts is the directory of the kept scripts, Spool that of the running jobs.
	Scripts, Spool string
	Log            *slog.Logger

	// due are the running jobs, the next to end first.
	due []end
	// doubt is when to ask Slurm which jobs run, zero for never: an answer is missing, or
	// slurmctld was restarted.
	doubt time.Time
	// over are the scripts of jobs that have ended, the first one first.
	over []left
}

// left is a script that is not removed before an instant.
type left struct {
	script string
	until  time.Time
}

// end is what is to happen to a running job, and when.
type end struct {
	id, code int
	at       time.Time
	script   string
}

// failed is the exit code of a job that cannot be run, that of "exit 1" as wait(2) has
// it.
const failed = 1 << 8

// retry is the virtual time after which an end is tried again.
const retry = time.Second

// keep is the virtual time for which the script of a job that has ended is kept. A
// slurmctld that was killed forgets what it did since it saved its state, which it does
// every five seconds (SAVE_MAX_WAIT in src/slurmctld/state_save.c), and so may want the
// job to run again.
const keep = time.Minute

// Run takes over the jobs that run already and then follows the news until ctx ends,
// whose cause it returns.
func (r *Runner) Run(ctx context.Context, news *News) error {
	if err := r.takeOver(); err != nil {
		return err
	}
	for {
		next := r.doubt
		if len(r.due) > 0 && (next.IsZero() || r.due[0].at.Before(next)) {
			next = r.due[0].at
		}
		if _, err := r.Clock.Wait(ctx, next, news.bell); err != nil {
			return err
		}
		for _, n := range news.take() {
			if err := r.hear(n); err != nil {
				return err
			}
		}
		if !r.doubt.IsZero() && !r.doubt.After(r.Clock.Now()) {
			if err := r.takeOver(); err != nil {
				return err
			}
		}
		if err := r.endDue(); err != nil {
			return err
		}
	}
}

// takeOver makes the jobs that run by Slurm those of the runner, each with the start that
// Slurm has for it.
func (r *Runner) takeOver() error {
	running, err := r.Slurm.Running()
	if errors.Is(err, ErrUnanswered) {
		r.askAgain(err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask for running jobs: %w", err)
	}
	r.doubt = time.Time{}
	before := r.due
	r.due = nil
	for _, job := range running {
		if err := r.add(job); err != nil {
			return err
		}
	}
	for _, e := range before {
		if r.plans(e.id) {
			continue
		}
		// The job waits again, and needs its script.
		if err := r.unmark(e.id); err != nil {
			return err
		}
	}
	return nil
}

// plans says that the end of a job is planned.
func (r *Runner) plans(id int) bool {
	return slices.ContainsFunc(r.due, func(e end) bool { return e.id == id })
}

// hear takes note of a start, an end or a restart.
func (r *Runner) hear(n item) error {
	switch {
	case n.restarted:
		r.doubt = r.Clock.Now()
		return nil
	case n.ended:
		return r.forget(n.id)
	case r.plans(n.id):
		return nil
	}
	job, err := r.Slurm.Job(n.id)
	if errors.Is(err, ErrGone) {
		return nil
	}
	if errors.Is(err, ErrUnanswered) {
		r.askAgain(err)
		return nil
	}
	if err != nil {
		return err
	}
	return r.add(job)
}

// askAgain asks later which jobs run.
func (r *Runner) askAgain(err error) {
	r.Log.Error("asking again which jobs run", "after", retry, "error", err)
	r.doubt = r.Clock.Now().Add(retry)
}

func (r *Runner) add(job Job) error {
	e := end{id: job.ID, at: job.Start}
	if err := r.plan(job, &e); err != nil {
		r.Log.Error("job cannot be run", "job", job.ID, "error", err)
		e.code = failed
	}
	if err := os.MkdirAll(r.dir(job.ID), 0o755); err != nil {
		return fmt.Errorf("note running job: %w", err)
	}
	// Jobs that are due at one instant end in the order of their starts.
	after := func(other, _ end) int {
		if other.at.After(e.at) {
			return 1
		}
		return -1
	}
	i, _ := slices.BinarySearchFunc(r.due, e, after)
	r.due = slices.Insert(r.due, i, e)
	return nil
}

// plan sets when the job ends.
func (r *Runner) plan(job Job, e *end) error {
	name := scriptName(job.Comment)
	if name == "" {
		return fmt.Errorf("its AdminComment %q names no script", job.Comment)
	}
	e.script = filepath.Join(r.Scripts, filepath.Base(name))
	script, err := os.ReadFile(e.script)
	if err != nil {
		return err
	}
	times, err := payload.Parse(string(script))
	if err != nil {
		return err
	}
	seconds, err := times.On(job.GPUs)
	if err != nil {
		return err
	}
	e.at = job.Start.Add(time.Duration(seconds) * time.Second)
	return nil
}

// scriptName reads what job_submit.lua wrote, "" if it is not there.
func scriptName(comment string) string {
	for _, word := range strings.Fields(comment) {
		if name, found := strings.CutPrefix(word, "script="); found {
			return name
		}
	}
	return ""
}

// endDue ends the jobs whose time has come.
func (r *Runner) endDue() error {
	for len(r.due) > 0 && !r.due[0].at.After(r.Clock.Now()) {
		e := r.due[0]
		err := r.Slurm.End(e.id, e.code)
		if err != nil && !errors.Is(err, ErrGone) && !errors.Is(err, ErrUnanswered) {
			return err
		}
		if errors.Is(err, ErrUnanswered) {
			// Slurm may be about to come back.
			r.Log.Error("job cannot be ended, trying again", "after", retry, "error", err)
			r.due[0].at = r.Clock.Now().Add(retry)
			slices.SortStableFunc(r.due, func(a, b end) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
			continue
		}
		if err := r.forget(e.id); err != nil {
			return err
		}
	}
	return nil
}

// forget removes what there is of a job that has ended, its script later.
func (r *Runner) forget(id int) error {
	i := slices.IndexFunc(r.due, func(e end) bool { return e.id == id })
	if i < 0 {
		return nil
	}
	now := r.Clock.Now()
	if script := r.due[i].script; script != "" {
		r.over = append(r.over, left{script, now.Add(keep)})
	}
	r.due = slices.Delete(r.due, i, i+1)
	for len(r.over) > 0 && r.over[0].until.Before(now) {
		if err := os.Remove(r.over[0].script); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove script: %w", err)
		}
		r.over = r.over[1:]
	}
	return r.unmark(id)
}

// unmark says that a job does not run.
func (r *Runner) unmark(id int) error {
	if err := os.RemoveAll(r.dir(id)); err != nil {
		return fmt.Errorf("note end of job: %w", err)
	}
	return nil
}

func (r *Runner) dir(id int) string { return filepath.Join(r.Spool, fmt.Sprintf("job%05d", id)) }
