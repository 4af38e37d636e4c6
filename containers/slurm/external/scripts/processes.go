package scripts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// program is the one beside this one that runs a script.
const program = "slurmscript"

// Processes are the scripts that run, or ran.
type Processes struct {
	// Spool has a directory for each job; see Dir.
	Spool string
}

// Life is how the script of a job stands.
type Life int

// Absent is a script that was not started; Alive one that runs; Over one whose end is
// known; Lost one that was started, and nobody knows how it ended.
const (
	Absent Life = iota
	Alive
	Over
	Lost
)

// Dir is the directory of a job, named as slurmd names it ("job%05u" of _make_batch_dir,
// src/slurmd/slurmstepd/mgr.c).
func (p Processes) Dir(id int) string { return filepath.Join(p.Spool, fmt.Sprintf("job%05d", id)) }

// ends is the directory in which each script leaves how it ended.
func (p Processes) ends() string { return filepath.Join(p.Spool, "ends") }

func (p Processes) end(id int) string { return filepath.Join(p.ends(), strconv.Itoa(id)) }

// Prepare makes the directories that all scripts share.
func (p Processes) Prepare() error {
	if err := os.MkdirAll(p.ends(), 0o700); err != nil {
		return fmt.Errorf("prepare for scripts: %w", err)
	}
	return nil
}

// Start runs a script. It returns when the script is about to run.
func (p Processes) Start(l Launch) error {
	if err := p.start(l); err != nil {
		return fmt.Errorf("start script of job %d: %w", l.ID, err)
	}
	return nil
}

func (p Processes) start(l Launch) error {
	dir := p.Dir(l.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// The name and the place that scripts of slurmd see.
	command := filepath.Join(dir, "slurm_script")
	for path, text := range map[string]string{command: l.Script, filepath.Join(dir, "launch"): l.text(command)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	// The mode first: a container need not let root change that of others' files (CAP_FOWNER).
	if err := errors.Join(os.Chmod(command, 0o500), os.Chown(command, l.UID, l.GID)); err != nil {
		return err
	}
	cmd := exec.Command(program, dir, p.end(l.ID))
	// A file, so that nobody waits for its end: the script's guardian lives on.
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// Find says how a job's script stands. status, for one that is Over, is that of wait(2).
func (p Processes) Find(id int) (life Life, status int, err error) {
	alive, err := p.guarded(id)
	if err != nil {
		return Absent, 0, fmt.Errorf("find script of job %d: %w", id, err)
	}
	if alive {
		// The guardian reports the end before it goes.
		if status, err = p.status(id); err == nil {
			return Over, status, nil
		}
		return Alive, 0, nil
	}
	status, err = p.status(id)
	switch {
	case err == nil:
		return Over, status, nil
	case !errors.Is(err, fs.ErrNotExist):
		return Absent, 0, fmt.Errorf("find script of job %d: %w", id, err)
	}
	if _, err := p.pid(id); err != nil {
		return Absent, 0, nil
	}
	return Lost, 0, nil
}

// guarded says that slurmscript holds its lock.
func (p Processes) guarded(id int) (bool, error) {
	file, err := os.Open(filepath.Join(p.Dir(id), "lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

func (p Processes) status(id int) (int, error) { return readNumber(p.end(id)) }

func (p Processes) pid(id int) (int, error) { return readNumber(filepath.Join(p.Dir(id), "pid")) }

func readNumber(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Signal sends a signal to the process group of a script that runs, which is what
// proctrack/pgid does.
func (p Processes) Signal(id int, s syscall.Signal) error { return p.signal(id, s, -1) }

// Warn sends a signal to the script alone.
func (p Processes) Warn(id int, s syscall.Signal) error { return p.signal(id, s, 1) }

func (p Processes) signal(id int, s syscall.Signal, sign int) error {
	life, _, err := p.Find(id)
	if err != nil || life != Alive {
		return err
	}
	pid, err := p.pid(id)
	if err != nil {
		return fmt.Errorf("signal job %d: %w", id, err)
	}
	if err := syscall.Kill(sign*pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal job %d: %w", id, err)
	}
	return nil
}

// Kill ends a script that runs at once, with all processes of its session.
func (p Processes) Kill(id int) error {
	life, _, err := p.Find(id)
	if err != nil || life != Alive {
		return err
	}
	session, err := p.pid(id)
	if err != nil {
		return fmt.Errorf("kill job %d: %w", id, err)
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return fmt.Errorf("kill job %d: %w", id, err)
	}
	for _, path := range stats {
		// A process that has ended meanwhile has no file.
		if pid, sid := processOf(path); sid == session {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return nil
}

// processOf reads process id and session from /proc/PID/stat, 0 if it cannot.
func processOf(path string) (pid, session int) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, 0
	}
	// The name of the command may hold blanks and parentheses.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 4 {
		return 0, 0
	}
	pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
	session, _ = strconv.Atoi(fields[3])
	return pid, session
}

// Remove removes all that is left of a script.
func (p Processes) Remove(id int) error {
	err := os.Remove(p.end(id))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(p.Dir(id)))
}

// Follow calls ended for each script that has ended and was not removed, until ctx ends,
// whose cause it returns. It may tell an end more than once.
func (p Processes) Follow(ctx context.Context, ended func(id int)) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("follow scripts: %w", err)
	}
	defer func() { _ = watcher.Close() }()
	if err := watcher.Add(p.ends()); err != nil {
		return fmt.Errorf("follow scripts: %w", err)
	}
	for {
		entries, err := os.ReadDir(p.ends())
		if err != nil {
			return fmt.Errorf("follow scripts: %w", err)
		}
		for _, e := range entries {
			if id, err := strconv.Atoi(e.Name()); err == nil {
				ended(id)
			}
		}
		select {
		case <-watcher.Events:
		case err := <-watcher.Errors:
			// Events that were dropped announced files that are found all the same.
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("follow scripts: %w", err)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
