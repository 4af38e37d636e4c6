package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/emulator/run"
)

// A closed terminal and a closed pipe end a command as Ctrl-C does, and are told apart
// in the reason.
func TestWhatEndsACommand(t *testing.T) {
	if begunAnew(t, "env", "--default-signal=HUP") {
		return
	}
	closedPipe := func(write func(*State)) func(t *testing.T) {
		return func(t *testing.T) {
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if err = reader.Close(); err != nil {
				t.Fatal(err)
			}
			defer func(out, complaints *os.File) { os.Stdout, os.Stderr = out, complaints }(os.Stdout, os.Stderr)
			os.Stdout, os.Stderr = writer, writer
			s := System("test", "test")
			write(s)
			ended(t, s, errUnread)
		}
	}
	t.Run("closed pipe of results", closedPipe(func(s *State) { _, _ = s.Stdout.Write([]byte("text\n")) }))
	t.Run("closed pipe of messages", closedPipe(func(s *State) { _, _ = s.Stderr.Write([]byte("text\n")) }))
	for number, cause := range map[syscall.Signal]error{
		syscall.SIGHUP: errHangup, syscall.SIGTERM: run.ErrStopped, syscall.SIGINT: run.ErrStopped,
	} {
		t.Run(number.String(), func(t *testing.T) {
			s := System("test", "test")
			if err := syscall.Kill(os.Getpid(), number); err != nil {
				t.Fatal(err)
			}
			<-s.Context.Done()
			ended(t, s, cause)
		})
	}
}

// A SIGTERM after the first ends the process, whatever it waits for. A SIGHUP does not.
func TestSecondSignal(t *testing.T) {
	if os.Getenv(anew) != "" {
		endItself(t, System("test", "test"))
	}
	cmd := beginAnew(t, "env", "--default-signal=HUP")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("%v, want exit code %d\n%s", err, exitInterrupted, out)
	}
}

// endItself has signals end this process.
func endItself(t *testing.T, s *State) {
	send := func(number syscall.Signal) {
		if err := syscall.Kill(os.Getpid(), number); err != nil {
			t.Fatal(err)
		}
		<-s.Context.Done()
	}
	send(syscall.SIGHUP)
	send(syscall.SIGHUP)
	for {
		send(syscall.SIGTERM)
		time.Sleep(10 * time.Millisecond)
	}
}

// Signals and the key Ctrl-C of a picture count together, and two signals of one cause once.
func TestStopper(t *testing.T) {
	const key, typed, closed, ended = "key", syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM
	for name, c := range map[string]struct {
		// signals come one after the other, and at the same time without a pause between.
		signals []any
		want    string
	}{
		"one":                       {[]any{typed}, "stop "},
		"two":                       {[]any{typed, oneCause, ended}, "stop end "},
		"three at once":             {[]any{ended, ended, ended}, "stop "},
		"handed on":                 {[]any{typed, oneCause / 2, typed}, "stop "},
		"handed on, two":            {[]any{typed, typed, oneCause, typed}, "stop end "},
		"closed":                    {[]any{closed, oneCause, closed}, "hangup hangup "},
		"then closed":               {[]any{ended, oneCause, closed}, "stop hangup "},
		"closed, session ends":      {[]any{closed, time.Minute, ended}, "hangup stop "},
		"closed, two":               {[]any{closed, oneCause, typed, oneCause, typed}, "hangup stop end "},
		"key, signal":               {[]any{key, oneCause, ended}, "stop end "},
		"key that repeats, at once": {[]any{key, oneCause / 4, key}, "stop "},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := ""
				w := stopper{end: func() { got += "end " }, signals: make(chan os.Signal, 3), over: make(chan struct{})}
				w.stop = func(cause error) {
					if errors.Is(cause, errHangup) {
						got += "hangup "
					} else {
						got += "stop "
					}
				}
				go w.wait()
				defer close(w.over)
				for _, s := range c.signals {
					switch s := s.(type) {
					case time.Duration:
						time.Sleep(s)
					case syscall.Signal:
						w.signals <- s
					default:
						w.interrupt()
					}
					synctest.Wait()
				}
				if got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}

// Each command that is said to clean up is one.
func TestCarefulCommands(t *testing.T) {
	cmd := Commands()
	for _, path := range careful() {
		if called, rest, err := cmd.Find(strings.Fields(path)); err != nil || len(rest) > 0 || !called.Runnable() {
			t.Errorf("%s is no command: %v", path, err)
		}
	}
}

func ended(t *testing.T, s *State, cause error) {
	t.Helper()
	defer s.Stop()
	if got := context.Cause(s.Context); !errors.Is(got, cause) || !errors.Is(got, run.ErrStopped) {
		t.Errorf("the context ended with %v, want %v", got, cause)
	}
}

// Under nohup a command survives its terminal.
func TestNohup(t *testing.T) {
	if begunAnew(t, "nohup") {
		return
	}
	s := System("test", "test")
	defer s.Stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if !signal.Ignored(syscall.SIGHUP) || s.Context.Err() != nil {
		t.Errorf("SIGHUP ended the command: %v", context.Cause(s.Context))
	}
}

// begunAnew runs the test that calls it in a process of its own, below the command, and
// says whether that was done; in that process it was. A process cannot take back that it
// ignores a signal, its commands inherit it, and the tests may run under nohup.
func begunAnew(t *testing.T, command ...string) bool {
	t.Helper()
	if os.Getenv(anew) != "" {
		return false
	}
	if out, runErr := beginAnew(t, command...).CombinedOutput(); runErr != nil {
		t.Errorf("%v\n%s", runErr, out)
	}
	return true
}

// A process in which a test is begun once more has this variable.
const anew = "SLURMLAB_TEST_BEGUN_ANEW"

// beginAnew is the test that calls it in a process of its own, below the command.
func beginAnew(t *testing.T, command ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], self, "-test.run", "^"+t.Name()+"$")...)
	cmd.Env = append(os.Environ(), anew+"=yes")
	return cmd
}
