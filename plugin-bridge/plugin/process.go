package plugin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// Command is how to start a program.
type Command struct {
	// Argv is the program and its arguments, Dir its working directory, Env its whole
	// environment.
	Argv []string
	Dir  string
	Env  []string
	// User, if not nil, is who it runs as. All processes of this user are stopped, continued and killed with it: nobody else
	// may be this user.
	User *syscall.Credential
	// Stderr takes what it writes there.
	Stderr io.Writer
	// Patience is how long the program may take to end after its input has ended.
	Patience time.Duration
}

// Process is a Program. Its methods are not safe for concurrent use, but for PID.
type Process struct {
	command Command
	pid     atomic.Int64
	life    *life
}

// NewProcess returns a program that does not run yet.
func NewProcess(c Command) *Process { return &Process{command: c} }

// life is one process of the program.
type life struct {
	in    io.WriteCloser
	lines chan []byte
	// fault is why there are no more lines, once lines is closed.
	fault error
	// gone is closed when nobody listens to lines any more, ended when the process has ended.
	gone, ended chan struct{}
	err         error
}

// PID is the id of the running process and of its group, 0 for none.
func (p *Process) PID() int { return int(p.pid.Load()) }

// Start starts the program. Of its user nothing else lives then.
func (p *Process) Start() error {
	p.End()
	if p.command.User != nil {
		p.signal(syscall.SIGKILL)
	}
	cmd := exec.Command(p.command.Argv[0], p.command.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = p.command.Dir, p.command.Env, p.command.Stderr
	cmd.SysProcAttr = attributes(p.command.User)
	// What the program has started may keep its standard error open.
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start the program: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start the program: %w", err)
	}
	l := &life{in: in, lines: make(chan []byte), gone: make(chan struct{}), ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel ends a program when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		failed := cmd.Start()
		started <- failed
		if failed != nil {
			return
		}
		l.read(out)
		l.err = cmd.Wait()
		close(l.ended)
	}()
	if err = <-started; err != nil {
		return fmt.Errorf("start the program: %w", noInterpreter(cmd.Path, err))
	}
	p.life = l
	p.pid.Store(int64(cmd.Process.Pid))
	return nil
}

// noInterpreter is the error of a start, in other words if it is not the program that is not
// there, but what its first line names.
func noInterpreter(path string, err error) error {
	file, openErr := os.Open(path)
	if !errors.Is(err, fs.ErrNotExist) || openErr != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	const most = 256
	head, _ := io.ReadAll(io.LimitReader(file, most))
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := bytes.Fields(bytes.TrimPrefix(line, []byte("#!")))
	if !bytes.HasPrefix(line, []byte("#!")) || len(words) == 0 {
		return fmt.Errorf("%s is there, but not the loader that it needs: %w", path, err)
	}
	return fmt.Errorf("%s begins with %q, and there is no %s here", path, line, words[0])
}

// read hands lines on until the program closes its output.
func (l *life) read(out io.Reader) {
	defer close(l.lines)
	lines := bufio.NewReader(out)
	for {
		line, err := readLine(lines)
		if err != nil {
			l.fault = err
			return
		}
		select {
		case l.lines <- line:
		case <-l.gone:
			return
		}
	}
}

// readLine reads a line of at most MaxLine bytes.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > MaxLine:
			return nil, ErrUnreadable
		}
	}
}

// Ask implements Program.
func (p *Process) Ask(ctx context.Context, question []byte) ([]byte, error) {
	l := p.life
	if l == nil {
		return nil, errors.New("it does not run")
	}
	p.signal(syscall.SIGCONT)
	// A program that does not read must not hold up its owner.
	go func() { _, _ = l.in.Write(question) }()
	select {
	case line, open := <-l.lines:
		if !open {
			return nil, l.why(ctx)
		}
		p.signal(syscall.SIGSTOP)
		return line, nil
	case <-ctx.Done():
		p.signal(syscall.SIGSTOP)
		return nil, ErrLate
	}
}

// patience is how long a program that has closed its output may take to end before its end is reported without an
// exit status. On a busy machine the kernel takes a second.
const patience = 3 * time.Second

// why says why there are no more lines.
func (l *life) why(ctx context.Context) error {
	if !errors.Is(l.fault, io.EOF) {
		return l.fault
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-l.ended:
		if l.err != nil {
			return fmt.Errorf("it ended: %w", l.err)
		}
		return errors.New("it ended: exit status 0")
	case <-ctx.Done():
		return errors.New("it closed its standard output")
	}
}

// End ends the program and what it has started, all of its user or else what is in its group.
func (p *Process) End() {
	if p.life == nil {
		return
	}
	close(p.life.gone)
	_ = p.life.in.Close()
	if p.command.Patience > 0 {
		p.signal(syscall.SIGCONT)
		select {
		case <-p.life.ended:
		case <-time.After(p.command.Patience):
		}
	}
	p.signal(syscall.SIGKILL)
	p.pid.Store(0)
	p.life = nil
}

// signal reaches all processes of the program's user. Without a user it reaches the program's group, which lives at
// least until the process has been waited for.
func (p *Process) signal(s syscall.Signal) {
	if u := p.command.User; u != nil && signalUser(u.Uid, s) {
		return
	}
	if pid := p.PID(); pid > 0 {
		_ = syscall.Kill(-pid, s)
	}
}
