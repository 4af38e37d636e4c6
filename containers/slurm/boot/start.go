package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// step is a daemon to start. It has the daemon's program as in Program.Part, its log in LogDir, its environment
// beside this process's, and what holds when it serves, nil if that needs no question.
type step struct {
	name, part, log string
	argv, env       []string
	ready           func(context.Context) error
	// pidFile is Program.PIDFile.
	pidFile string
	// again are further arguments of each start after the first.
	again []string
	// needs is the daemon that must serve before this one is started, empty for none.
	needs string
}

// daemon is a step that was started.
type daemon struct {
	step
	proc *process
}

// process is a started process; how it ended is set when ended is closed.
type process struct {
	os    *os.Process
	known Daemon
	ended chan struct{}
	how   string
}

// rest waits between two questions whether it serves.
func (s step) rest() func(context.Context) error {
	if s.pidFile != "" {
		return pause(fileInterval)
	}
	return pause(askInterval)
}

func (c *Daemons) run(ctx context.Context, s step) error {
	d := &daemon{step: s}
	if err := c.start(d); err != nil {
		return err
	}
	c.daemons = append(c.daemons, d)
	return c.until(ctx, s.name, s.rest(), s.ready, c.fault)
}

// start starts or restarts a daemon and notes it in the state.
func (c *Daemons) start(d *daemon) error {
	out, err := os.OpenFile(filepath.Join(c.paths.logs, d.name+".out"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	defer func() { _ = out.Close() }()
	if d.pidFile != "" {
		// An earlier process's file would say that this one serves.
		_ = os.Remove(d.pidFile)
	}
	argv := d.argv
	if d.proc != nil {
		argv = slices.Concat(argv, d.again)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), d.env...)
	cmd.Stdout, cmd.Stderr = out, out
	// Its own process group, so that a terminal's Ctrl-C does not reach it. A session of its own would be an
	// autogroup (sched(7)), where no control group of the container takes its place. There it would have a share of
	// the core that the jump clock does not know of.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if startErr := cmd.Start(); startErr != nil {
		return fmt.Errorf("start %s: %w", d.name, startErr)
	}
	started, _, err := processStart(cmd.Process.Pid)
	if err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	p := &process{os: cmd.Process, ended: make(chan struct{}), how: "exit status 0",
		known: Daemon{Name: d.name, Part: d.part, PID: cmd.Process.Pid, Started: started, Log: filepath.Join(c.paths.logs, d.log)}}
	running := c.State.Clock
	go func() {
		err := cmd.Wait()
		// At once: as long as this thread runs, the clock does not jump.
		running.Hold()
		if err != nil {
			p.how = err.Error()
		}
		recordEnd(filepath.Dir(c.paths.state), d.name, running, p.how)
		close(p.ended)
	}()
	d.proc = p
	return c.update(func(s *State) { s.note(p.known) })
}

// fault is the end of the daemon, nil if it runs.
func (d *daemon) fault() error {
	select {
	case <-d.proc.ended:
		return d.lastWords()
	default:
		return nil
	}
}

// lastWords is the end of the daemon with the end of its log.
func (d *daemon) lastWords() *DaemonError {
	lines := tail(d.proc.known.Log, 10)
	if len(lines) == 0 {
		lines = tail(filepath.Join(filepath.Dir(d.proc.known.Log), d.name+".out"), 10)
	}
	return &DaemonError{Name: d.name, Log: lines}
}

// fault is what keeps a boot from coming to its end, nil if all daemons run: a limit of the
// container that was exceeded, or else the end of a daemon.
func (c *Daemons) fault() error {
	if err := c.limits.Exceeded(); err != nil {
		return err
	}
	for _, d := range c.daemons {
		if err := d.fault(); err != nil {
			return err
		}
	}
	return nil
}

// explained adds to the error of a boot the limit of the container that was exceeded, if
// there is one: most errors are its consequences.
func (c *Daemons) explained(err error) error {
	if limit := c.limits.Exceeded(); limit != nil && !errors.Is(err, ErrExceeded) {
		return fmt.Errorf("%w; %w", limit, err)
	}
	return err
}

// stopLimit is how long daemons may take to end by themselves.
const stopLimit = 2 * time.Second

// Stop ends all daemons, last started first. Supervise must have ended.
func (c *Daemons) Stop() {
	for i := len(c.daemons) - 1; i >= 0; i-- {
		_ = c.daemons[i].proc.os.Signal(syscall.SIGTERM)
	}
	deadline := time.After(stopLimit)
	for _, d := range c.daemons {
		select {
		case <-d.proc.ended:
		case <-deadline:
			for _, other := range c.daemons {
				_ = other.proc.os.Kill()
			}
			<-d.proc.ended
		}
	}
	_ = os.Remove(c.paths.state)
}
