package channel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// program is what a Helper starts.
const program = "slurmchannel"

// Helper asks slurmchannel. It is safe for concurrent use; questions are answered one
// after the other.
type Helper struct {
	shell   *slurmctl.Exec
	timeout time.Duration
	// turn holds one token, taken by the question that is being answered.
	turn chan struct{}
	// proc is nil before the first question and after a helper's end; lives counts
	// the helpers.
	proc  *process
	lives int
	// pid is that of proc, 0 without.
	pid atomic.Int64
}

// NewHelper returns a Helper whose program has the environment of shell. A question
// that takes longer than timeout, in real time, ends the program.
func NewHelper(shell *slurmctl.Exec, timeout time.Duration) *Helper {
	return &Helper{shell: shell, timeout: timeout, turn: make(chan struct{}, 1)}
}

// Row is one row of an answer.
type Row struct {
	Word  string
	Cells []string
}

// Answer is what slurmchannel said to a question.
type Answer struct {
	Rows []Row
	// Count is the number in the answer's last row.
	Count int
	// Life tells helpers apart: what one has told another one does not know.
	Life int
}

// errDied is a helper that ended, or said what no one understands.
var errDied = errors.New("slurmchannel ended")

// Ask asks a question. A helper that turns out to have died since the last question is
// replaced, so only questions that may be asked twice belong here.
//
// The error wraps slurmctl.ErrUnavailable if Slurm or the helper does not answer, and is
// a *slurmctl.RefusedError for what else Slurm says.
func (h *Helper) Ask(ctx context.Context, question ...string) (Answer, error) {
	lived := h.PID() != 0
	a, err := h.AskOnce(ctx, question...)
	if lived && errors.Is(err, errDied) {
		return h.AskOnce(ctx, question...)
	}
	return a, err
}

// AskOnce is Ask for a question that must not be asked twice. After an error that wraps
// slurmctl.ErrUnavailable it may have been asked.
func (h *Helper) AskOnce(ctx context.Context, question ...string) (Answer, error) {
	line := writeRow(question)
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("wait for %s: %w", program, context.Cause(ctx))
	}
	defer func() { <-h.turn }()
	a, err := h.ask(ctx, line)
	if err != nil {
		return Answer{}, fmt.Errorf("ask %s for %q: %w", program, shorten(line), err)
	}
	return a, nil
}

// PID is the process of the program, 0 if there is none.
func (h *Helper) PID() int { return int(h.pid.Load()) }

// Drop ends the program of a life whose answers do not make sense.
func (h *Helper) Drop(life int) {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	if h.lives == life {
		h.drop()
	}
}

// Close ends the program. A question starts another one.
func (h *Helper) Close() error {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	h.drop()
	return nil
}

// drop ends the program, if there is one, and returns its last words.
func (h *Helper) drop() (last string) {
	if h.proc != nil {
		h.pid.Store(0)
		last = h.proc.end()
		h.proc = nil
	}
	return last
}

func (h *Helper) ask(ctx context.Context, line string) (Answer, error) {
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	if h.proc == nil {
		proc, err := start(h.shell)
		if err != nil {
			return Answer{}, err
		}
		h.proc = proc
		h.pid.Store(int64(proc.cmd.Process.Pid))
		h.lives++
	}
	late := fmt.Errorf("%w: no answer within %s: %w", slurmctl.ErrUnavailable, h.timeout, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, h.timeout, late)
	defer cancel()
	// The end of the program ends the reading below.
	intact := context.AfterFunc(ctx, h.proc.kill)
	a, err := h.proc.exchange(line)
	a.Life = h.lives
	if !intact() {
		h.drop()
		return Answer{}, context.Cause(ctx)
	}
	if errors.Is(err, errDied) {
		err = fmt.Errorf("%w: %w: %s", slurmctl.ErrUnavailable, err, h.drop())
	}
	return a, err
}

// process is one running slurmchannel.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *tail
}

func start(shell *slurmctl.Exec) (*process, error) {
	// The process outlives the question that starts it.
	cmd := shell.Command(context.Background(), program)
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	p := &process{cmd: cmd, in: in, errors: &tail{}}
	cmd.Stderr = p.errors
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	p.out = bufio.NewReaderSize(out, 1<<16)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return p, nil
}

// exchange sends a question and reads the rows up to the last one of the answer.
func (p *process) exchange(line string) (Answer, error) {
	var a Answer
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return a, fmt.Errorf("%w: %w", errDied, err)
	}
	for {
		text, err := p.out.ReadString('\n')
		if err != nil {
			return a, fmt.Errorf("%w: %w", errDied, err)
		}
		word, cells, err := parseRow(strings.TrimSuffix(text, "\n"))
		if err != nil {
			return a, fmt.Errorf("%w: %w", errDied, err)
		}
		switch {
		case word == "error" && len(cells) == 1:
			return a, slurmctl.Complaint(program+" "+shorten(line), cells[0])
		case word == "ok" && len(cells) == 1:
			var ok bool
			if a.Count, ok = values.Count(cells[0]); !ok {
				return a, fmt.Errorf("%w: its last row is %q", errDied, text)
			}
			return a, nil
		}
		a.Rows = append(a.Rows, Row{Word: word, Cells: cells})
	}
}

func (p *process) kill() { _ = p.cmd.Process.Kill() }

// end ends the process and describes how it ended. It may be dead already.
func (p *process) end() string {
	_ = p.in.Close()
	p.kill()
	err := p.cmd.Wait()
	if last := p.errors.String(); last != "" {
		return last
	}
	return fmt.Sprint(err)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailLength = 1 << 10

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-tailLength):]
	return len(b), nil
}

// String is the text on one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.text)), " ")
}

// shorten keeps error messages readable: a question may have many ids.
func shorten(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most-3] + "..."
	}
	return s
}
