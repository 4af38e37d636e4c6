package solver

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Worker is a process that runs Serve. Reading from it ends after Kill.
type Worker interface {
	io.Reader
	io.Writer
	// Kill ends the process at once, whatever it does, and does not wait. A
	// second call does nothing.
	Kill()
}

// Command returns a function that starts the worker as a child process.
func Command(path string, args ...string) func() (Worker, error) {
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
		// What kills a worker should be seen.
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return nil, fmt.Errorf("start worker: %w", err)
		}
		return &child{cmd: cmd, Writer: in, Reader: out}, nil
	}
}

// child is a worker on two pipes.
type child struct {
	cmd  *exec.Cmd
	once sync.Once
	io.Writer
	io.Reader
}

// Kill leaves the process to be reaped by a goroutine, because the kernel takes
// its time to free the memory of a killed process.
func (c *child) Kill() {
	c.once.Do(func() {
		_ = c.cmd.Process.Kill()
		go func() { _ = c.cmd.Wait() }()
	})
}

// link is the conversation with one worker.
type link struct {
	worker  Worker
	encoder *gob.Encoder
	// answers is closed when the worker has died or talks nonsense.
	answers chan answer
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
			if decoder.Decode(&a) != nil {
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

// ask sends a request without waiting: a worker that does not read must not
// hold up its owner. A failure shows as the end of the answers.
func (l *link) ask(q request) {
	go func() {
		if l.encoder.Encode(q) != nil {
			l.worker.Kill()
		}
	}()
}

// end kills the worker. It is called once.
func (l *link) end() {
	l.worker.Kill()
	close(l.gone)
}
