package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// fake is a Slurm and a clock whose sleeps are over at once.
type fake struct {
	mu   sync.Mutex
	now  time.Time
	told []string
	// silent is how many ends get no answer, done is closed after that many ends.
	silent, want int
	done         chan struct{}
}

func newFake(want int) *fake {
	return &fake{now: time.Unix(1_900_000_000, 1000), want: want, done: make(chan struct{})}
}

func (f *fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fake) SleepUntil(ctx context.Context, until time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if until.After(f.now) {
		f.now = until
	}
	return context.Cause(ctx)
}

func (f *fake) tell(what string, ids ...int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.silent > 0 {
		f.silent--
		return fmt.Errorf("ask: %w", slurmctl.ErrUnavailable)
	}
	f.told = append(f.told, fmt.Sprintf("%s %v after %v", what, ids, f.now.Sub(time.Unix(1_900_000_000, 0))))
	if len(f.told) == f.want {
		close(f.done)
	}
	return nil
}

func (f *fake) Cancel(_ context.Context, ids ...int) error { return f.tell("cancel", ids...) }

func (f *fake) End(_ context.Context, id, code int) (bool, error) {
	return true, f.tell(fmt.Sprintf("end %d", code), id)
}

// listen has the lines of a pipe carried out, which write makes, until so many ends were reported to Slurm.
func listen(t *testing.T, f *fake, write func(path string)) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spool", "endings")
	ctx, stop := context.WithCancelCause(t.Context())
	opened, over := make(chan struct{}), make(chan error, 1)
	l := Listener{Slurm: f, Clock: f, After: time.Second / 4, Log: slog.New(slog.DiscardHandler)}
	go func() { over <- l.Listen(ctx, path, func() { close(opened) }) }()
	select {
	case <-opened:
	case err := <-over:
		t.Fatal(err)
	}
	write(path)
	<-f.done
	stopped := errors.New("stopped")
	stop(stopped)
	if err := <-over; !errors.Is(err, stopped) {
		t.Errorf("%v, want the cause of the end", err)
	}
	return f.told
}

func put(t *testing.T, path, text string) {
	t.Helper()
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = pipe.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err = pipe.Close(); err != nil {
		t.Fatal(err)
	}
}

// The listener reports to Slurm a quarter of a second after the whole one (time(2) may be a hundredth behind other
// clocks). It reports again when Slurm does not answer, and drops lines that nobody understands.
func TestJobsAreEnded(t *testing.T) {
	f := newFake(3)
	f.silent = 1
	got := listen(t, f, func(path string) {
		put(t, path, "cancelled 7\n")
		put(t, path, "out_of_memory 8\nfailed 9\ncancelled x\n\ncancelled 10\n")
	})
	want := []string{"cancel [7] after 1.25s", "end 253 [8] after 1.25s", "cancel [10] after 1.25s"}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// The listener reads what a script writes, and bash starts only sleep for it.
func TestScriptsAsk(t *testing.T) {
	bash := hosttest.Program(t, "bash")
	for end, want := range map[End]string{
		IsCancelled: "cancel [7] after 250ms", LacksMemory: "end 253 [7] after 250ms",
	} {
		got := listen(t, newFake(1), func(path string) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "sleep"), []byte("#!"+bash+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(bash, "-c", strings.ReplaceAll(end.Script(), PipePath, path))
			cmd.Env = []string{"PATH=" + dir, "SLURM_JOB_ID=7"}
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("%s: %v, want exit code 1 when nobody ends the job", end, err)
			}
		})
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%s: told %q, want %q", end, got, want)
		}
	}
}

// Jobs are those of several users.
func TestEverybodyMayWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "endings")
	for range 2 {
		pipe, err := openPipe(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode() != os.ModeNamedPipe|0o622 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if err = pipe.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
