package solver

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Worker is a process that runs Serve. Reading from it ends after Kill.
type Worker interface {
	io.Reader
	io.Writer
	// Kill ends the process at once, whatever it does, and does not wait. The
	// channel tells how the process ended, when it has. A second call does
	// nothing and returns the same channel.
	Kill() <-chan error
}

// Command returns a function that starts the worker as a child process. used is called with the id and the processor
// time of each worker that has ended, unless it is nil.
func Command(used func(pid int, processor time.Duration), path string, args ...string) func() (Worker, error) {
	return func() (Worker, error) {
		cmd := exec.Command(path, args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, fmt.Errorf("start worker: %w", err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, fmt.Errorf("start worker: %w", err)
		}
		// A worker that panics writes why to its standard error.
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return nil, fmt.Errorf("start worker: %w", err)
		}
		return &child{cmd: cmd, Writer: in, Reader: out, used: used, ended: make(chan error, 1)}, nil
	}
}

// child is a worker on two pipes.
type child struct {
	cmd   *exec.Cmd
	used  func(pid int, processor time.Duration)
	once  sync.Once
	ended chan error
	io.Writer
	io.Reader
}

// Kill leaves the process to be reaped by a goroutine, because the kernel takes
// its time to free the memory of a killed process.
func (c *child) Kill() <-chan error {
	c.once.Do(func() {
		_ = c.cmd.Process.Kill()
		go func() {
			err := c.cmd.Wait()
			if state := c.cmd.ProcessState; c.used != nil && state != nil {
				c.used(state.Pid(), state.UserTime()+state.SystemTime())
			}
			c.ended <- err
		}()
	})
	return c.ended
}

// link is the conversation with one worker.
type link struct {
	worker  Worker
	encoder *gob.Encoder
	// answers is closed when the worker has died or sent what is no answer; fault is
	// then the error of the read.
	answers chan answer
	fault   error
	// gone is closed when nobody listens to answers any more.
	gone chan struct{}
}

func connect(w Worker) *link {
	l := &link{worker: w, encoder: gob.NewEncoder(w), answers: make(chan answer), gone: make(chan struct{})}
	go func() {
		defer close(l.answers)
		decoder := gob.NewDecoder(bufio.NewReader(w))
		for {
			var a answer
			if l.fault = decoder.Decode(&a); l.fault != nil {
				return
			}
			select {
			case l.answers <- a:
			case <-l.gone:
				return
			}
		}
	}()
	return l
}

// ask sends a request in a goroutine, since a worker that does not read must not hold
// up its owner. If sending fails, the worker is killed, and the answers end.
func (l *link) ask(q request) {
	go func() {
		if l.encoder.Encode(q) != nil {
			l.worker.Kill()
		}
	}()
}

// why says why the answers have ended. It kills what is left of the worker, and waits until stop for how that ended, which
// takes a busy kernel a while.
func (l *link) why(stop <-chan struct{}) string {
	ended := l.worker.Kill()
	if !errors.Is(l.fault, io.EOF) && !errors.Is(l.fault, io.ErrUnexpectedEOF) && !errors.Is(l.fault, os.ErrClosed) {
		return fmt.Sprintf("the solver's process answered what cannot be read: %v", l.fault)
	}
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Sprintf("the solver's process ended: %v", err)
		}
	case <-stop:
	}
	return "the solver's process ended"
}

// end kills the worker. It is called once.
func (l *link) end() {
	l.worker.Kill()
	close(l.gone)
}
