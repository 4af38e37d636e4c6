package jobs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// PipePath is the named pipe of a cluster, in a directory of its own below one in memory.
const PipePath = "/var/spool/slurmlab-endings/pipe"

// Script are the lines of a batch script, in bash, that have its job ended so.
func (e End) Script() string {
	return fmt.Sprintf("echo \"%s $SLURM_JOB_ID\" >%s\nsleep 86400\nexit 1\n", e, PipePath)
}

// Slurm ends the jobs; see channel.Helper.
type Slurm interface {
	Cancel(ctx context.Context, ids ...int) error
	End(ctx context.Context, id, code int) (ended bool, err error)
}

// Clock is virtual time; see clock.Clock.
type Clock interface {
	Now() time.Time
	SleepUntil(ctx context.Context, until time.Time) error
}

// Listener ends the jobs whose scripts ask for it.
type Listener struct {
	Slurm Slurm
	Clock Clock
	// After is how long after its whole second a job ends at the earliest, as of external.Runner.
	After time.Duration
	Log   *slog.Logger
}

// retry is the virtual time after which an end is tried again that slurmctld did not answer.
const retry = time.Second

// Listen replaces the pipe and ends jobs until ctx ends, whose cause it returns. opened is called when scripts can
// write.
func (l Listener) Listen(ctx context.Context, path string, opened func()) error {
	pipe, err := openPipe(path)
	if err != nil {
		return fmt.Errorf("listen for ends of jobs: %w", err)
	}
	opened()
	closed := context.AfterFunc(ctx, func() { _ = pipe.Close() })
	defer func() {
		if closed() {
			_ = pipe.Close()
		}
	}()
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if err := l.end(ctx, lines.Text()); err != nil {
			return err
		}
	}
	if ctx.Err() == nil {
		return fmt.Errorf("listen for ends of jobs: %s was closed", path)
	}
	return context.Cause(ctx)
}

// openPipe returns a pipe that everybody may write to. This process also has it open for writing. Otherwise it would end
// after each script.
func openPipe(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("make %s: %w", path, err)
	}
	// Jobs are those of several users, and the umask is not known.
	if err := os.Chmod(path, 0o622); err != nil {
		return nil, err
	}
	// Opened so, a pipe is waited for in Go's poller.
	return os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0)
}

// end ends the job of a line. It fails only when its context has ended.
func (l Listener) end(ctx context.Context, line string) error {
	word, text, _ := strings.Cut(line, " ")
	id, ok := values.Count(text)
	end := End(word)
	if !ok || end != IsCancelled && end != LacksMemory {
		l.Log.Error("a script asks for an end that nobody knows", "line", line)
		return nil
	}
	for {
		now := l.Clock.Now()
		if err := l.Clock.SleepUntil(ctx, now.Truncate(time.Second).Add(l.After)); err != nil {
			return err
		}
		err := l.tell(ctx, id, end)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			l.Log.Error("job cannot be ended", "job", id, "end", end, "error", err)
		}
		if !errors.Is(err, slurmctl.ErrUnavailable) {
			return nil
		}
		if err := l.Clock.SleepUntil(ctx, now.Add(retry)); err != nil {
			return err
		}
	}
}

func (l Listener) tell(ctx context.Context, id int, end End) error {
	if end == IsCancelled {
		return l.Slurm.Cancel(ctx, id)
	}
	_, err := l.Slurm.End(ctx, id, end.Code())
	return err
}
