package slurmctl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// process is a running interactive scontrol.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	// lines delivers standard error and is closed at its end.
	lines chan string
	// abandoned stops the reader when no one listens any more.
	abandoned chan struct{}
	// ended is closed after the process was waited for.
	ended   chan struct{}
	waitErr error
}

// startProcess starts scontrol with its settings of readline in a file that may have no name.
func startProcess(e *Exec, settings *os.File) (*process, error) {
	// The process outlives the call that starts it; kill ends it.
	cmd := e.Command(context.Background(), "scontrol")
	// The first of ExtraFiles is descriptor 3 of the process.
	cmd.ExtraFiles = []*os.File{settings}
	cmd.Env = append(cmd.Env, "INPUTRC=/proc/self/fd/3")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{
		cmd: cmd, stdin: stdin,
		lines: make(chan string), abandoned: make(chan struct{}), ended: make(chan struct{}),
	}
	go p.read(stderr)
	return p, nil
}

func (p *process) read(stderr io.Reader) {
	defer close(p.ended)
	r := bufio.NewReader(stderr)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			select {
			case p.lines <- line:
			case <-p.abandoned:
			}
		}
		if err != nil {
			break
		}
	}
	p.waitErr = p.cmd.Wait()
	close(p.lines)
}

// send writes a command and its fence. They fit into the pipe's buffer, which
// is empty between commands, so that a hanging scontrol cannot block it.
func (p *process) send(text string) error {
	_, err := io.WriteString(p.stdin, text)
	return err
}

// end describes a process whose lines ended.
func (p *process) end(messages []string) string {
	how := "exit status 0"
	if p.waitErr != nil {
		how = p.waitErr.Error()
	}
	if len(messages) > 0 {
		how = fmt.Sprintf("%s after %q", how, strings.Join(messages, "; "))
	}
	return how
}

// kill ends the process and waits for it. Its errors tell nothing that the
// caller does not know: the process may be dead already.
func (p *process) kill() {
	_ = p.stdin.Close()
	_ = p.cmd.Process.Kill()
	close(p.abandoned)
	<-p.ended
}
