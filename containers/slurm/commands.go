package slurm

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// outputDelay is how long the output of a command is read after its end, since what it left behind may hold it open.
const outputDelay = time.Second

// request asks a program in a container for a command.
type request struct {
	ID   uint64
	Argv []string
	// Stdin is the command's whole standard input.
	Stdin []byte
	// Kill ends the command of that id. Only the request for the command itself is answered.
	Kill bool
}

// answer is what came of a command.
type answer struct {
	ID             uint64
	Stdout, Stderr []byte
	Code           int
}

// commands is a program in a container, "slurmlabd commands", that runs what Run asks for. A command costs 2 ms of
// processor time. An exec of the engine costs 70 ms on a FUSE root, since the engine starts five processes for it.
type commands struct {
	input *io.PipeWriter
	// ended is closed when the program has ended, and why is the reason then.
	ended chan struct{}
	why   error

	// sending guards requests. Answers are read while a request is written: otherwise both sides might wait for each other.
	sending  sync.Mutex
	requests *gob.Encoder

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan answer
}

// startCommands starts the program with stream, which returns when it has ended.
func startCommands(stream func(stdin io.Reader, stdout io.Writer) error) *commands {
	stdin, input := io.Pipe()
	output, stdout := io.Pipe()
	s := &commands{input: input, ended: make(chan struct{}), requests: gob.NewEncoder(input), waiting: map[uint64]chan answer{}}
	go func() {
		err := stream(stdin, stdout)
		if err == nil {
			err = io.EOF
		}
		// These never fail.
		_ = stdout.CloseWithError(err)
		_ = stdin.CloseWithError(err)
	}()
	go func() {
		answers := gob.NewDecoder(output)
		for {
			var a answer
			if s.why = answers.Decode(&a); s.why != nil {
				_ = output.CloseWithError(s.why)
				close(s.ended)
				return
			}
			s.mu.Lock()
			to := s.waiting[a.ID]
			delete(s.waiting, a.ID)
			s.mu.Unlock()
			if to != nil {
				to <- a
			}
		}
	}()
	return s
}

// over says whether the program has ended.
func (s *commands) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// close ends the program and what it runs.
func (s *commands) close() { _ = s.input.Close() }

// run runs a command. If ctx ends first, the command is killed, and what it printed is lost.
func (s *commands) run(ctx context.Context, stdin []byte, argv []string) (answer, error) {
	answered := make(chan answer, 1)
	s.mu.Lock()
	s.last++
	id := s.last
	s.waiting[id] = answered
	s.mu.Unlock()
	err := s.send(request{ID: id, Argv: argv, Stdin: stdin})
	if err == nil {
		select {
		case a := <-answered:
			return a, nil
		case <-s.ended:
			err = s.why
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	s.mu.Lock()
	delete(s.waiting, id)
	s.mu.Unlock()
	if ctx.Err() != nil {
		// A program that is gone runs nothing that is to be killed.
		_ = s.send(request{ID: id, Kill: true})
	}
	return answer{}, err
}

func (s *commands) send(r request) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.requests.Encode(r)
}

// ServeCommands is what "slurmlabd commands" does: it runs the command of each request, beside each other, until
// the requests end. What runs then is killed.
func ServeCommands(ctx context.Context, stdin io.Reader, stdout io.Writer, env []string) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	var (
		requests = gob.NewDecoder(stdin)
		mu       sync.Mutex // of kill
		kill     = map[uint64]context.CancelFunc{}
		sending  sync.Mutex // of answers
		answers  = gob.NewEncoder(stdout)
	)
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request for a command: %w", err)
		}
		mu.Lock()
		if r.Kill {
			if end := kill[r.ID]; end != nil {
				end()
			}
			mu.Unlock()
			continue
		}
		one, end := context.WithCancel(ctx)
		kill[r.ID] = end
		mu.Unlock()
		running.Go(func() {
			defer end()
			a := carryOut(one, r, env)
			mu.Lock()
			delete(kill, r.ID)
			mu.Unlock()
			sending.Lock()
			defer sending.Unlock()
			// A caller that is gone has closed the requests as well, which ends this program.
			_ = answers.Encode(a)
		})
	}
}

// carryOut runs one command. As a shell has it, the code is 127 for a program that is not there, and 128 and
// the signal for one that a signal has ended.
func carryOut(ctx context.Context, r request, env []string) answer {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, r.Argv[0], r.Argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, bytes.NewReader(r.Stdin), &stdout, &stderr
	// What the command started is killed with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = outputDelay
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return answer{ID: r.ID, Stderr: []byte(err.Error()), Code: 127}
	}
	code := cmd.ProcessState.ExitCode()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	return answer{r.ID, stdout.Bytes(), stderr.Bytes(), code}
}
