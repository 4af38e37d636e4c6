package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

const (
	// pause is the real time of check.Pause, and how long an engine is away that is
	// restarted.
	pause = 5 * time.Second
	// forever is the real time after which a stopped slurmlab goes on: longer than any
	// limit of a run. Nothing else can make a stopped process end.
	forever = 70 * time.Second
)

// scene is what an action works on.
type scene struct {
	container string
	cli       *os.Process
	engine    *engine
	// disk is the file system of the run directory, empty if it is not the cell's own.
	disk string
	// later is what is to be done after some time.
	later []func()
}

// act does what the cell says. What it stops for a while goes on after that time.
func (s *scene) act(ctx context.Context, c check.Cell) error {
	switch c.Victim {
	case check.CLI:
		return s.actOn(c.Action, func(name string) error { return s.cli.Signal(number(name)) }, forever)
	case check.Engine:
		return s.actOn(c.Action, func(name string) error {
			switch name {
			case "STOP":
				s.engine.hang()
			case "CONT":
				s.engine.work()
			case "TERM":
				s.engine.die()
				s.after(pause, s.engine.work)
			default:
				s.engine.die()
			}
			return nil
		}, 0)
	case check.Container:
		return s.actOn(c.Action, func(name string) error {
			var err error
			switch name {
			case "STOP":
				_, err = docker(ctx, "pause", s.container)
			case "CONT":
				_, err = docker(ctx, "unpause", s.container)
			default:
				_, err = docker(ctx, "kill", "--signal", name, s.container)
			}
			return err
		}, 0)
	case check.Plugin:
		// The program looks there at each question (misbehaves.py).
		_, err := docker(ctx, "exec", s.container, "sh", "-c", "echo "+string(c.Action)+" >/var/spool/misbehave")
		return err
	case check.Processes:
		_, err := docker(ctx, "update", "--pids-limit", "1", s.container)
		return err
	case check.Memory:
		return noMemory(ctx, s.container)
	case check.Tmpfs:
		// Its size is the container's limit, and dd ends when nothing is left.
		_, err := docker(ctx, "exec", s.container, "sh", "-c", "dd if=/dev/zero of=/var/spool/full bs=1M 2>/dev/null; test -s /var/spool/full")
		return err
	case check.Disk:
		return fill(s.disk)
	default:
		return s.actOn(c.Action, func(name string) error { return signal(ctx, s.container, c.Victim, name) }, 0)
	}
}

// actOn sends the signals of an action. A victim that is stopped for good goes on after
// limit, if that is not 0.
func (s *scene) actOn(a check.Action, send func(name string) error, limit time.Duration) error {
	switch a {
	case check.Pause:
		s.after(pause, func() { _ = send("CONT") })
		return send("STOP")
	case check.Stop:
		if limit > 0 {
			s.after(limit, func() { _ = send("CONT") })
		}
		return send("STOP")
	case check.Kill, check.Term:
		return send(string(a))
	default:
		return fmt.Errorf("%s is no signal", a)
	}
}

func (s *scene) after(d time.Duration, do func()) {
	timer := time.AfterFunc(d, do)
	s.later = append(s.later, func() {
		// What is late by now is done at once.
		if timer.Stop() {
			do()
		}
	})
}

// over ends what the action left to be done.
func (s *scene) over() {
	for _, do := range s.later {
		do()
	}
}

func number(name string) syscall.Signal {
	return map[string]syscall.Signal{
		"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
	}[name]
}

// fill leaves no byte on a file system.
func fill(dir string) error {
	if dir == "" {
		return errors.New("the run directory has no disk of its own")
	}
	f, err := os.Create(filepath.Join(dir, "full"))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	for block := make([]byte, 1<<20); len(block) > 0; block = block[:len(block)/2] {
		for err == nil {
			_, err = f.Write(block)
		}
		err = nil
	}
	return nil
}
