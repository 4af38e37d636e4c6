package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
)

// Slurm is how a Runner asks for jobs and ends them; see Jobs.
type Slurm interface {
	Running(ctx context.Context) ([]Job, error)
	Job(ctx context.Context, id int) (Job, error)
	Details(ctx context.Context, id int) (scripts.Details, error)
	End(ctx context.Context, id, code int) error
	Cancel(ctx context.Context, id int) error
	Reconfigure(ctx context.Context) error
	Wake(ctx context.Context) error
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
	// After is by how much the end of a job comes after its whole second. An end before
	// Slurm's second would make the job a second too short, and one at the very second
	// would meet slurmctld's main loop, which wakes then and starts other jobs.
	After time.Duration
	// Scripts is the directory of the kept scripts, Spool the directory of the running jobs.
	Scripts, Spool string
	// Processes run the scripts of people.
	Processes Processes
	// CPUs returns the CPUs of each node of a running job, in the order of its nodes.
	CPUs func(ctx context.Context, id int) ([]int, error)
	// Comments are the admin comments of all jobs that have not ended.
	Comments func(ctx context.Context) ([]string, error)
	// Environment puts a program on the cluster's clock.
	Environment []string
	Log         *slog.Logger
	// Ends gets a line for each end that the Runner reported to Slurm, see ReadEnds.
	Ends io.Writer

	// due are the jobs whose end is known, the next to end first.
	due []end
	// live are the jobs whose scripts run.
	live map[int]*script
	// swept is set when the scripts of jobs that had ended before were found.
	swept bool
	// told are the jobs whose end was reported to Slurm, until Slurm reports it back.
	told map[int]bool
	// freed says that nodes are free of which Slurm's scheduler does not know.
	freed bool
	// healAt is when the nodes are made to respond, the zero time for never.
	healAt time.Time
	// doubt is when to ask Slurm which jobs run, zero for never: an answer is missing, or
	// slurmctld was restarted.
	doubt time.Time
	// tidyAt is when scripts of no job are looked for, zero for never.
	tidyAt time.Time
	// over are the scripts of jobs that have ended, the first one first.
	over []left
}

// end is what is to happen to a running job, and when.
type end struct {
	id, code int
	// cancel says that the job's owner cancels it, so that it has no code.
	cancel bool
	// at is when it is tried next, due when it had to be.
	at, due time.Time
	script  string
}

// failed is the exit code of a job that cannot be run, that of "exit 1" as wait(2) has
// it.
const failed = 1 << 8

// retry is the virtual time after which an end is tried again.
const retry = time.Second

// Run takes over the jobs that run already and then follows the news until ctx ends,
// whose cause it returns.
func (r *Runner) Run(ctx context.Context, news *News) error {
	r.live, r.told = map[int]*script{}, map[int]bool{}
	if err := r.takeOver(ctx); err != nil {
		return err
	}
	r.tidyLater()
	for {
		if _, err := r.Clock.Wait(ctx, r.next(), news.bell); err != nil {
			return err
		}
		for _, n := range news.take() {
			if err := r.hear(ctx, n); err != nil {
				return err
			}
		}
		if !r.doubt.IsZero() && !r.doubt.After(r.Clock.Now()) {
			if err := r.takeOver(ctx); err != nil {
				return err
			}
		}
		if err := errors.Join(r.endDue(ctx), r.attend(ctx, r.Clock.Now()), r.wake(ctx), r.discard(r.Clock.Now()), r.tidy(ctx, r.Clock.Now())); err != nil {
			return err
		}
	}
}

// wake has Slurm's scheduler look at what is free, once for all jobs that have ended at an instant.
func (r *Runner) wake(ctx context.Context) error {
	if !r.freed {
		return nil
	}
	r.freed = false
	err := r.Slurm.Wake(ctx)
	if errors.Is(err, ErrUnanswered) {
		// Slurm looks by itself once a minute, and when it restarts.
		r.Log.Error("free nodes are not told of", "error", err)
		return nil
	}
	return err
}

// plans says that the end of a job is planned.
func (r *Runner) plans(id int) bool {
	return slices.ContainsFunc(r.due, func(e end) bool { return e.id == id })
}

// next is when something is to be done, the zero time for nothing.
func (r *Runner) next() time.Time {
	instants := []time.Time{r.doubt, r.healAt, r.tidyAt}
	if len(r.due) > 0 {
		instants = append(instants, r.due[0].at)
	}
	for _, s := range r.live {
		instants = append(instants, s.warnAt, s.killAt)
	}
	instants = slices.DeleteFunc(instants, time.Time.IsZero)
	if len(instants) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(instants, time.Time.Compare)
}

// hear takes note of what happened.
func (r *Runner) hear(ctx context.Context, n item) error {
	switch n.what {
	case ended:
		return r.hearEnd(ctx, n.id)
	case exited:
		return r.scriptEnded(n.id)
	case changed:
		return r.follow(ctx, n.id)
	case restarted:
		r.doubt = r.Clock.Now()
		r.tidyLater()
		return nil
	case refused:
		r.tidyLater()
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
	job, err := r.Slurm.Job(ctx, n.id)
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
	return r.add(ctx, job)
}

// hearEnd takes note of an end that Slurm tells of.
func (r *Runner) hearEnd(ctx context.Context, id int) error {
	switch s := r.live[id]; {
	case s != nil:
		r.freed = true
		return r.stop(s)
	case r.plans(id):
		r.freed = true
		return r.forget(id)
	case r.told[id]:
		delete(r.told, id)
		return nil
	}
	// It never ran.
	details, err := r.Slurm.Details(ctx, id)
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

func (r *Runner) add(ctx context.Context, job Job) error {
	e := end{id: job.ID, at: job.Start}
	if err := os.MkdirAll(r.dir(job.ID), 0o755); err != nil {
		return fmt.Errorf("note running job: %w", err)
	}
	runs, err := r.plan(ctx, job, &e)
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
	e.due = e.at
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
func (r *Runner) plan(ctx context.Context, job Job, e *end) (runs bool, err error) {
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
		return r.run(ctx, job.ID, e, string(text), string(submission))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	times, err := jobs.Parse(string(text))
	if err != nil {
		return false, err
	}
	seconds, err := times.On(job.GPUs)
	if err != nil {
		return false, err
	}
	e.at = job.Start.Add(time.Duration(seconds)*time.Second + r.After)
	e.code, e.cancel = times.End.Code(), times.End == jobs.IsCancelled
	return false, nil
}

// endDue ends the jobs whose time has come.
func (r *Runner) endDue(ctx context.Context) error {
	for len(r.due) > 0 && !r.due[0].at.After(r.Clock.Now()) {
		e := r.due[0]
		err := r.tellEnd(ctx, e)
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
		if err == nil {
			r.note(e)
		}
		r.told[e.id], r.freed = true, true
		if err := r.forget(e.id); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) tellEnd(ctx context.Context, e end) error {
	if e.cancel {
		return r.Slurm.Cancel(ctx, e.id)
	}
	return r.Slurm.End(ctx, e.id, e.code)
}

// note says in the log how late an end was.
func (r *Runner) note(e end) {
	if err := (ToldEnd{e.id, e.due, r.Clock.Now()}).write(r.Ends); err != nil {
		r.Log.Error("end is not logged", "job", e.id, "error", err)
	}
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

// unmark says that a job does not run.
func (r *Runner) unmark(id int) error {
	if err := r.Processes.Remove(id); err != nil {
		return fmt.Errorf("note end of job: %w", err)
	}
	return nil
}

func (r *Runner) dir(id int) string { return filepath.Join(r.Spool, fmt.Sprintf("job%05d", id)) }
