package boot

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// step is a daemon to start, with its program as in Program.Part, its log in LogDir, its
// environment beside this process's, and what holds when it serves.
type step struct {
	name, part, log string
	argv, env       []string
	ready           func(context.Context) error
}

func (c *Daemons) run(ctx context.Context, s step) error {
	if err := c.start(s); err != nil {
		return err
	}
	return c.await(ctx, s.name, askInterval, s.ready)
}

func (c *Daemons) start(s step) error {
	out, err := os.OpenFile(filepath.Join(LogDir, s.name+".out"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(s.argv[0], s.argv[1:]...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stdout, cmd.Stderr = out, out
	// Its own session, so that a terminal's Ctrl-C does not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if startErr := cmd.Start(); startErr != nil {
		return fmt.Errorf("start %s: %w", s.name, startErr)
	}
	p := process{os: cmd.Process, ended: make(chan struct{})}
	running := c.State.Clock
	go func() {
		recordEnd(s.name, running, cmd.Wait())
		close(p.ended)
	}()
	c.procs = append(c.procs, p)
	started, _, err := processStart(cmd.Process.Pid)
	if err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	c.State.Daemons = append(c.State.Daemons, Daemon{Name: s.name, Part: s.part, PID: cmd.Process.Pid, Started: started, Log: filepath.Join(LogDir, s.log)})
	return nil
}

// stopLimit is how long daemons may take to end by themselves.
const stopLimit = 2 * time.Second

// Stop ends all daemons, last started first.
func (c *Daemons) Stop() {
	for i := len(c.procs) - 1; i >= 0; i-- {
		_ = c.procs[i].os.Signal(syscall.SIGTERM)
	}
	deadline := time.After(stopLimit)
	for _, p := range c.procs {
		select {
		case <-p.ended:
		case <-deadline:
			for _, q := range c.procs {
				_ = q.os.Kill()
			}
			<-p.ended
		}
	}
	_ = os.Remove(StatePath)
}
