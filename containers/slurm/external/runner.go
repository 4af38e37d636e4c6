package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
	"github.com/slurmlab/slurmlab/containers/slurm/payload"
)

// Slurm is how a Runner asks for jobs and ends them; see Jobs.
type Slurm interface {
	Running() ([]Job, error)
	Job(id int) (Job, error)
	Details(id int) (scripts.Details, error)
	End(id, code int) error
	Reconfigure() error
}

// Clock is virtual time; see clock.Clock.
type Clock interface {
	Now() time.Time
	Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (woken bool, err error)
}

// Runner ends each job at its start plus its run time, or when its script ends.
type Runner struct {
	Slurm Slurm
	Clock Clock
	// Scripts is the directory of the kept scripts, Spool that of the running jobs.
	Scripts, Spool string
	// Processes run the scripts of people.
	Processes Processes
	// CPUs are those of each node of a running job, in the order of its nodes.
	CPUs func(id int) ([]int, error)
	// Environment puts a program on the cluster's clock.
	Environment []string
	Log         *slog.Logger

	// due are the jobs whose end is known, the next to end first.
	due []end
	// live are the jobs whose scripts run.
	live map[int]*script
	// swept is set when the scripts of jobs that had ended before were found.
	swept bool
	// told are the jobs whose end Slurm was told, until Slurm tells of it.
	told map[int]bool
	// healAt is when the nodes are made to respond, the zero time for never.
	healAt time.Time
	// doubt is when to ask Slurm which jobs run, zero for never: an answer is missing, or
	// slurmctld was restarted.
	doubt time.Time
	// over are the scripts of jobs that have ended, the first one first.
	over []left
}

// left is a kept script that is not removed before an instant.
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
	r.live, r.told = map[int]*script{}, map[int]bool{}
	if err := r.takeOver(); err != nil {
		return err
	}
	for {
		if _, err := r.Clock.Wait(ctx, r.next(), news.bell); err != nil {
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
		if err := errors.Join(r.endDue(), r.attend(r.Clock.Now()), r.discard(r.Clock.Now())); err != nil {
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
		if r.live[job.ID] != nil {
			continue
		}
		if err := r.add(job); err != nil {
			return err
		}
	}
	for _, e := range before {
		if r.plans(e.id) {
			continue
		}
		// The job waits again, and needs its script. One that has ended already is not
		// run again, but is the job's end when that starts.
		if life, _, err := r.Processes.Find(e.id); err != nil || life != scripts.Absent {
			continue
		}
		if err := r.unmark(e.id); err != nil {
			return err
		}
	}
	if r.swept {
		return nil
	}
	return r.sweep()
}

// plans says that the end of a job is planned.
func (r *Runner) plans(id int) bool {
	return slices.ContainsFunc(r.due, func(e end) bool { return e.id == id })
}

// healWait is the virtual time from a message to a node to the healing of the nodes;
// there may be several.
const healWait = 2 * time.Second

// heal makes nodes take jobs again that slurmctld counts as not responding, because it
// looked for their slurmd: to suspend a job, or to deliver a signal of scancel. Nothing
// but a restart or a reconfiguration does (node_did_resp in src/slurmctld/node_mgr.c has
// no caller for external nodes).
func (r *Runner) heal() {
	r.healAt = time.Time{}
	if err := r.Slurm.Reconfigure(); err != nil {
		r.Log.Error("nodes cannot be made to respond, trying again", "after", healWait, "error", err)
		r.healAt = r.Clock.Now().Add(healWait)
	}
}

// next is when something is to be done, the zero time for nothing.
func (r *Runner) next() time.Time {
	next := r.doubt
	if next.IsZero() || !r.healAt.IsZero() && r.healAt.Before(next) {
		next = r.healAt
	}
	if len(r.due) > 0 && (next.IsZero() || r.due[0].at.Before(next)) {
		next = r.due[0].at
	}
	for _, s := range r.live {
		for _, at := range []time.Time{s.warnAt, s.killAt} {
			if !at.IsZero() && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
	}
	return next
}

// hear takes note of what happened.
func (r *Runner) hear(n item) error {
	switch n.what {
	case ended:
		return r.hearEnd(n.id)
	case exited:
		return r.scriptEnded(n.id)
	case changed:
		return r.follow(n.id)
	case restarted:
		r.doubt = r.Clock.Now()
		return nil
	case unreachable:
		if r.healAt.IsZero() {
			r.healAt = r.Clock.Now().Add(healWait)
		}
		return nil
	}
	if r.live[n.id] != nil || r.plans(n.id) {
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

// hearEnd takes note of an end that Slurm tells of.
func (r *Runner) hearEnd(id int) error {
	switch s := r.live[id]; {
	case s != nil:
		return r.stop(s)
	case r.plans(id):
		return r.forget(id)
	case r.told[id]:
		delete(r.told, id)
		return nil
	}
	// It never ran.
	details, err := r.Slurm.Details(id)
	if errors.Is(err, ErrGone) {
		return nil
	}
	if errors.Is(err, ErrUnanswered) {
		r.Log.Error("script of a job that has ended stays where it is", "job", id, "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	r.leave(scriptName(details.Comment))
	return nil
}

func (r *Runner) add(job Job) error {
	e := end{id: job.ID, at: job.Start}
	if err := os.MkdirAll(r.dir(job.ID), 0o755); err != nil {
		return fmt.Errorf("note running job: %w", err)
	}
	runs, err := r.plan(job, &e)
	if errors.Is(err, ErrUnanswered) {
		r.askAgain(err)
		return nil
	}
	if err != nil {
		r.Log.Error("job cannot be run", "job", job.ID, "error", err)
		e.code = failed
	}
	if !runs {
		r.schedule(e)
	}
	return nil
}

// schedule has a job ended at its time.
func (r *Runner) schedule(e end) {
	// Jobs that are due at one instant end in the order of their starts.
	after := func(other, _ end) int {
		if other.at.After(e.at) {
			return 1
		}
		return -1
	}
	i, _ := slices.BinarySearchFunc(r.due, e, after)
	r.due = slices.Insert(r.due, i, e)
}

// plan sets when the job ends, or has its script run, whose end is not known yet.
func (r *Runner) plan(job Job, e *end) (runs bool, err error) {
	e.script = scriptName(job.Comment)
	if e.script == "" {
		return false, fmt.Errorf("its AdminComment %q names no script", job.Comment)
	}
	text, err := os.ReadFile(filepath.Join(r.Scripts, e.script))
	if err != nil {
		return false, err
	}
	submission, err := os.ReadFile(filepath.Join(r.Scripts, e.script+scripts.SubmissionSuffix))
	if err == nil {
		return r.run(job.ID, e, string(text), string(submission))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	times, err := payload.Parse(string(text))
	if err != nil {
		return false, err
	}
	seconds, err := times.On(job.GPUs)
	if err != nil {
		return false, err
	}
	e.at = job.Start.Add(time.Duration(seconds) * time.Second)
	return false, nil
}

// scriptName reads what job_submit.lua wrote, "" if it is not there.
func scriptName(comment string) string {
	for _, word := range strings.Fields(comment) {
		if name, found := strings.CutPrefix(word, "script="); found {
			return filepath.Base(name)
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
		r.told[e.id] = true
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
	name := r.due[i].script
	r.due = slices.Delete(r.due, i, i+1)
	r.leave(name)
	return r.unmark(id)
}

// leave has a kept script removed later.
func (r *Runner) leave(name string) {
	if name != "" {
		r.over = append(r.over, left{name, r.Clock.Now().Add(keep)})
	}
}

// discard removes the kept scripts that nobody can need any more.
func (r *Runner) discard(now time.Time) error {
	for ; len(r.over) > 0 && r.over[0].until.Before(now); r.over = r.over[1:] {
		for _, suffix := range []string{"", scripts.SubmissionSuffix} {
			if err := os.Remove(filepath.Join(r.Scripts, r.over[0].script+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove script: %w", err)
			}
		}
	}
	return nil
}

// unmark says that a job does not run.
func (r *Runner) unmark(id int) error {
	if err := r.Processes.Remove(id); err != nil {
		return fmt.Errorf("note end of job: %w", err)
	}
	return nil
}

func (r *Runner) dir(id int) string { return filepath.Join(r.Spool, fmt.Sprintf("job%05d", id)) }
