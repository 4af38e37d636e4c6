package external

import (
	"context"
	"errors"
	"os/user"
	"strconv"
	"syscall"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
)

// Processes are the scripts of people; see scripts.Processes.
type Processes interface {
	Start(l scripts.Launch) error
	Find(id int) (life scripts.Life, status int, err error)
	// Signal reaches the script and its children, Warn the script alone, Kill all of
	// its session.
	Signal(id int, s syscall.Signal) error
	Warn(id int, s syscall.Signal) error
	Kill(id int) error
	Remove(id int) error
}

// killWait is the virtual time from SIGTERM to SIGKILL, Slurm's default of KillWait
// (slurm.conf(5)).
const killWait = 30 * time.Second

// script is a script that runs.
type script struct {
	id int
	// name is the name of the kept script.
	name string
	warn scripts.Warn
	// warnAt and killAt are when it gets warn and SIGKILL, zero for never.
	warnAt, killAt time.Time
	// over is set when Slurm has ended the job.
	over bool
}

// run has the script of a job run, or finds what has become of it.
func (r *Runner) run(ctx context.Context, id int, e *end, text, kept string) (runs bool, err error) {
	submission, err := scripts.ParseSubmission(kept)
	if err != nil {
		return false, err
	}
	details, err := r.Slurm.Details(ctx, id)
	if err != nil {
		return false, err
	}
	life, status, err := r.Processes.Find(id)
	if err != nil {
		return false, err
	}
	switch life {
	case scripts.Lost:
		return false, errors.New("its script is gone, and how it ended is not known")
	case scripts.Over:
		e.code, e.at = status, r.Clock.Now()
		return false, nil
	case scripts.Absent:
		if err := r.launch(ctx, id, text, details, submission); err != nil {
			return false, err
		}
	}
	s := &script{id: id, name: e.script, warn: submission.Warn}
	s.plan(details)
	if life == scripts.Alive && !s.warnAt.After(r.Clock.Now()) {
		// The runner before this one has warned it.
		s.warnAt = time.Time{}
	}
	r.live[id] = s
	return true, nil
}

func (r *Runner) launch(ctx context.Context, id int, text string, d scripts.Details, s scripts.Submission) error {
	cpus := []int{d.CPUs}
	if d.Count > 1 {
		var err error
		if cpus, err = r.CPUs(ctx, id); err != nil {
			// The script then lacks a few variables.
			r.Log.Error("CPUs of a job's nodes are not known", "job", id, "error", err)
		}
	}
	return r.Processes.Start(scripts.NewLaunch(id, text, d, s, account(d.UID), cpus, r.Environment))
}

// account looks a user up. Slurm also runs jobs of users that the system does not know.
func account(uid int) scripts.Account {
	number := strconv.Itoa(uid)
	found, err := user.LookupId(number)
	if err != nil {
		return scripts.Account{Name: number, Home: "/"}
	}
	return scripts.Account{Name: found.Username, Home: found.HomeDir}
}

// plan sets when the script is warned of its end.
func (s *script) plan(d scripts.Details) {
	s.warnAt = time.Time{}
	if s.warn.Signal != 0 && s.warn.Script && d.State == scripts.Running {
		s.warnAt = d.End.Add(-s.warn.Before)
	}
}

// scriptEnded tells Slurm how a script ended.
func (r *Runner) scriptEnded(id int) error {
	s := r.live[id]
	if s == nil {
		return nil
	}
	life, status, err := r.Processes.Find(id)
	if err != nil || life != scripts.Over {
		return err
	}
	delete(r.live, id)
	if s.over {
		r.leave(s.name)
		return r.unmark(id)
	}
	r.schedule(end{id: id, code: status, at: r.Clock.Now(), script: s.name})
	return nil
}

// stop ends the script of a job that Slurm has ended, as slurmd does: a stopped script
// must go on to see the signal.
func (r *Runner) stop(s *script) error {
	s.over, s.warnAt, s.killAt = true, time.Time{}, r.Clock.Now().Add(killWait)
	return errors.Join(r.Processes.Signal(s.id, syscall.SIGCONT), r.Processes.Signal(s.id, syscall.SIGTERM))
}

// follow stops or continues the script of a job that was suspended or resumed.
func (r *Runner) follow(ctx context.Context, id int) error {
	s := r.live[id]
	if s == nil || s.over {
		return nil
	}
	details, err := r.Slurm.Details(ctx, id)
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
	s.plan(details)
	switch details.State {
	case scripts.Suspended:
		return r.Processes.Signal(id, syscall.SIGSTOP)
	case scripts.Running:
		return r.Processes.Signal(id, syscall.SIGCONT)
	}
	return nil
}

// attend sends the signals whose time has come.
func (r *Runner) attend(ctx context.Context, now time.Time) error {
	if !r.healAt.IsZero() && !r.healAt.After(now) {
		r.heal(ctx)
	}
	for _, s := range r.live {
		if !s.killAt.IsZero() && !s.killAt.After(now) {
			s.killAt = time.Time{}
			if err := r.Processes.Kill(s.id); err != nil {
				return err
			}
		}
		if s.warnAt.IsZero() || s.warnAt.After(now) {
			continue
		}
		// The limit may have been changed.
		details, err := r.Slurm.Details(ctx, s.id)
		if errors.Is(err, ErrUnanswered) {
			s.warnAt = now.Add(retry)
			continue
		}
		if err != nil && !errors.Is(err, ErrGone) {
			return err
		}
		if s.plan(details); s.warnAt.After(now) {
			continue
		}
		signal := s.warn.Signal
		s.warnAt, s.warn.Signal = time.Time{}, 0
		if err := r.Processes.Warn(s.id, signal); err != nil {
			return err
		}
	}
	return nil
}
